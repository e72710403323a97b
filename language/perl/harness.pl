# Runs the tests of a program that is in another process:
# perl harness.pl TEST...
use strict;
use warnings;
use lib '/opt/glovebox/perl', '/opt/glovebox/perl/lib';
use GloveboxExam;
use GloveboxWire;
use Scalar::Util qw(blessed refaddr);

my ( @subs, %remote, $wire, $calls, $swallowed );

package Glovebox::Remote {
    our $AUTOLOAD;
    sub DESTROY { }
    sub can { my ( $self, $name ) = @_; return sub { my $o = shift; $o->$name(@_) } }

    sub AUTOLOAD {
        my $self = shift;
        ( my $name = $AUTOLOAD ) =~ s/.*:://;
        return main::glovebox_call( ref $self ? { object => $$self, name => $name } : { class => $self, name => $name }, wantarray, \@_ );
    }
}

sub glovebox_wrap {
    my ($v) = @_;
    return { o => $$v } if defined blessed $v && $v->isa('Glovebox::Remote');
    return { o => $remote{ refaddr $v } } if exists $remote{ refaddr $v };
    die 'a ' . ref($v) . " cannot be carried to the program\n" if ref $v ne 'CODE';
    return { p => push( @subs, $v ) - 1 };
}

sub glovebox_unwrap {
    my ($j) = @_;
    my $id = $j->{o};
    die "a value of no known form\n" if !defined $id || $id !~ /\A\d+\z/;
    if ( $j->{f} ) {
        my $code = sub { glovebox_call( { object => $id }, wantarray, \@_ ) };
        $remote{ refaddr $code } = $id;
        return $code;
    }
    my $class = $j->{c} // '';
    return bless \$id, $Glovebox::packages{$class} ? $class : 'Glovebox::Remote';
}

# serve runs a sub of the tests' for the program.
sub glovebox_serve {
    my ($request) = @_;
    my $code = $subs[ $request->{sub} ] // die "no such sub\n";
    my $args = $wire->decode( $request->{args} );
    my @list;
    return { list => $wire->encode( \@list ) }
        if eval { $request->{want} ? ( @list = $code->(@$args) ) : ( $list[0] = $code->(@$args) ); 1 };
    return { die => $wire->encode("$@") };
}

# glovebox_call calls the program. What goes wrong on the link ends the tests:
# an eval in them cannot make it unseen.
sub glovebox_call {
    my ( $request, $context, $args ) = @_;
    $calls++;
    my $what = $request->{name} // 'a sub';
    my @out;
    my $answer = eval { $wire->call( { %$request, want => $context ? 1 : 0, args => $wire->encode($args) } ) };
    GloveboxExam::broken( $@ =~ /process ended/ ? "the program's process ended during $what" : "calling $what: $@" ) if !$answer;
    if ( exists $answer->{die} ) {
        my $error = eval { $wire->decode( $answer->{die} ) };
        die defined $error ? $error : "died\n";
    }
    eval {
        @out = @{ GloveboxWire::array( $wire->decode( $answer->{list} ) ) };
        for my $c ( @{ $answer->{changed} || [] } ) {
            my ( $old, $new ) = ( $args->[ $c->[0] ], $wire->decode( $c->[1] ) );
            if    ( ref $old eq 'ARRAY' && ref $new eq 'ARRAY' ) { @$old = @$new }
            elsif ( ref $old eq 'HASH'  && ref $new eq 'HASH' )  { %$old = %$new }
            elsif ( ref $old eq 'SCALAR' && ref $new eq 'SCALAR' ) { $$old = $$new }
        }
        1;
    } or GloveboxExam::broken("the answer of $what: $@");
    return $context ? @out : $out[-1];
}

$wire = GloveboxWire->new( wrap => \&glovebox_wrap, unwrap => \&glovebox_unwrap, serve => \&glovebox_serve );
GloveboxExam::open_report();
my $texts = GloveboxExam::texts(@ARGV);
my %word;
$word{$_}++ for map { /([A-Za-z_]\w*(?:::\w+)*)/g } values %$texts;
my $answer = eval { $wire->call( { op => 'names', names => [ sort keys %word ] } ) };
GloveboxExam::broken("the program's process ended before the tests") if !$answer || ref $answer->{subs} ne 'HASH';
for my $name ( grep { $word{$_} } keys %{ $answer->{subs} } ) {
    my $known = $answer->{subs}{$name};
    no strict 'refs';
    if ( $known->{package} ) {
        # What the tests have from elsewhere is never the program's to give.
        next if %{"${name}::"} || GloveboxExam::library($name);
        @{"${name}::ISA"} = ('Glovebox::Remote');
        $Glovebox::packages{$name} = 1;
        $INC{ ( $name =~ s{::}{/}gr ) . '.pm' } = 'program';
    }
    elsif ( !defined &{"main::$name"} && !defined &{"CORE::$name"} ) {
        my $prototype = $known->{prototype};
        my $code      = sub { glovebox_call( { name => $name }, wantarray, \@_ ) };
        &Scalar::Util::set_prototype( $code, $prototype )
            if defined $prototype && $prototype =~ /\A[\$\@%&*\\;\[\]_+]*\z/;
        no warnings 'once';
        *{"main::$name"} = $code;
    }
}
GloveboxExam::run( $texts, [@ARGV], sub {$calls} );
