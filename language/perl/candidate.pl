# Serves calls of a program's subs: perl candidate.pl FILE.
use strict;
use warnings;
use lib '/opt/glovebox/perl';
use GloveboxCheck ();
use GloveboxLoad;
use GloveboxWire;
use Scalar::Util qw(blessed refaddr reftype);

my ( @objects, %seen, $wire );

sub GloveboxWire::wrap {
    my ($v) = @_;
    my $id = $seen{ refaddr $v } //= push( @objects, $v ) - 1;
    my %handle = ( o => $id );
    $handle{c} = blessed $v if defined blessed $v;
    $handle{f} = 1          if reftype $v eq 'CODE';
    return \%handle;
}

sub GloveboxWire::unwrap {
    my ($j) = @_;
    return $objects[ $j->{o} ] // die "no such object\n" if exists $j->{o};
    my $id = $j->{p} // die "a value of no known form\n";
    return sub {
        my $context = wantarray;
        my $m = $wire->call( { sub => $id, want => $context ? 1 : 0, args => $wire->encode( \@_ ) } );
        die $wire->decode( $m->{die} ) if exists $m->{die};
        my @list = @{ $wire->decode( $m->{list} ) };
        return $context ? @list : $list[-1];
    };
}

sub GloveboxWire::serve {
    my ($request) = @_;
    return { subs => { map { GloveboxLoad::known($_) } @{ $request->{names} } } } if $request->{op};
    my $name   = $request->{name};
    my $args   = $wire->decode( $request->{args} );
    my @before = map { ref $_ ? GloveboxWire::form($_) : undef } @$args;
    my $code;
    if ( exists $request->{object} ) { my $o = $objects[ $request->{object} ]; $code = defined $name ? sub { $o->$name(@_) } : $o }
    elsif ( exists $request->{class} ) { my $c = $request->{class}; $code = sub { $c->$name(@_) } }
    else { no strict 'refs'; $code = \&{"main::$name"} }
    my @list;
    if ( !eval { $request->{want} ? ( @list = $code->(@$args) ) : ( $list[0] = $code->(@$args) ); 1 } ) {
        my $error = $@;
        return { die => $wire->encode($error) };
    }
    my %answer = ( list => $wire->encode( \@list ) );
    for my $i ( grep { ref $args->[$_] } 0 .. $#$args ) {
        next if !defined $before[$i];
        my $now = GloveboxWire::form( $args->[$i] );
        push @{ $answer{changed} }, [ $i, $wire->encode( $args->[$i] ) ] if $now ne $before[$i];
    }
    return \%answer;
}

# form is how data looks, for comparison; nothing where it is not plain.
sub GloveboxWire::form {
    my ($v) = @_;
    return if defined blessed $v || reftype $v eq 'CODE';
    return JSON::PP->new->canonical->ascii->encode( $wire->encode($v) );
}

$wire = GloveboxWire->new( wrap => \&GloveboxWire::wrap, unwrap => \&GloveboxWire::unwrap, serve => \&GloveboxWire::serve );
$| = 1;
GloveboxLoad::program( shift @ARGV );
$wire->listen;
