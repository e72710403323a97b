package GloveboxExam;

# Runs test scripts and reports them. A script that uses Test::More has a case
# per test; any other is one case, which passes where it runs to its end, or
# ends itself with exit 0.
use strict;
use warnings;
use JSON::PP    ();
use GloveboxWire ();

my $json = JSON::PP->new->ascii->canonical;
our ( $report, $ending, $nonce, $look, %file );

BEGIN {
    # exit of a test script is its end; exit of anything else is a plain exit.
    no warnings 'once';
    *CORE::GLOBAL::exit = sub (;$) {
        my $code = $_[0] // 0;
        my ( undef, $from ) = caller;
        if ( $ending && $file{$from} ) { $ending->($code) }
        CORE::exit($code);
    };
}

sub open_report { open $report, '>&=', 5 or die "no report: $!" }

sub event { syswrite $report, $json->encode( {@_} ) . "\n" }

# broken reports that the tests cannot be completed, and ends the process.
sub broken {
    my ($reason) = @_;
    chomp $reason;
    event( type => 'broken', reason => GloveboxWire::bounded($reason) );
    require POSIX;
    POSIX::_exit(1);
}

# library tells whether a package is a module of Perl's or of ours.
sub library {
    my ($name) = @_;
    ( my $file = "$name.pm" ) =~ s{::}{/}g;
    return exists $INC{$file} || grep { !ref && -e "$_/$file" } @INC;
}

sub texts {
    my %texts;
    for my $name (@_) {
        open my $in, '<:raw', $name or broken("$name: $!");
        local $/;
        $texts{$name} = <$in>;
        $file{$name} = 1;
    }
    return \%texts;
}

# what the failing tests of Test::More say, and what they compared, by number.
my ( %said, %compared );

# overhear has Test::Builder tell it.
sub overhear {
    require Test::Builder;
    no warnings 'redefine';
    my ( $diag, $is ) = ( \&Test::Builder::diag, \&Test::Builder::_is_diag );
    *Test::Builder::diag = sub {
        my $self = shift;
        $said{ $self->current_test } .= join( '', map { $_ // 'undef' } @_ ) . "\n";
        return $self->$diag(@_);
    };
    *Test::Builder::_is_diag = sub {
        my ( $self, $got, $type, $expected ) = @_;
        $compared{ $self->current_test } = [ $expected, $got ];
        return $self->$is( $got, $type, $expected );
    };
}

# run runs the scripts. calls tells how often the program was called; it is not
# given where that is not known.
sub run {
    my ( $texts, $names, $calls ) = @_;
    my ( $total, $passed, $failed ) = ( 0, 0, 0 );
    my $next = 0;
    my $case = sub {
        my (%case) = @_;
        $total++;
        $passed++ if $case{status} eq 'passed';
        $failed++ if $case{status} eq 'failed' || $case{status} eq 'error';
        event( type => 'case', case => \%case );
    };
    my $script = sub {
        my ( $name, $code, $error ) = @_;
        if ( $INC{'Test/Builder.pm'} && Test::Builder->new->current_test ) {
            my $builder = Test::Builder->new;
            $builder->no_ending(1);
            my $n = 0;
            for my $t ( $builder->details ) {
                $n++;
                my $status = $t->{type} eq 'skip' || $t->{type} eq 'todo_skip' ? 'skipped' : $t->{actual_ok} ? 'passed' : 'failed';
                my @why;
                if ( $status eq 'failed' ) {
                    push @why, message => GloveboxWire::bounded( $said{$n} ) if defined $said{$n};
                    push @why, expected => GloveboxWire::bounded( $compared{$n}[0] ), actual => GloveboxWire::bounded( $compared{$n}[1] ) if $compared{$n};
                }
                $case->( name => $t->{name} || "$name $n", status => $status, @why );
            }
            my $plan = $builder->has_plan;
            broken("$name planned $plan tests and ran $n") if defined $plan && $plan =~ /^\d+$/ && $plan != $n;
            $builder->reset;
            %said = %compared = ();
        }
        elsif ( !$code && !defined $error ) { $case->( name => $name, status => 'passed' ) }
        my %last = %Glovebox::last_difference;
        my @why  = %last ? ( expected => GloveboxWire::bounded( $last{expected} ), actual => GloveboxWire::bounded( $last{got} ), line => $last{line} ) : ();
        if    ( defined $error ) { $case->( name => $name, status => 'error', message => GloveboxWire::bounded($error) ) }
        elsif ($code)            { $case->( name => $name, status => 'failed', message => "exit status $code", @why ) }
    };
    my $finish;
    overhear() if grep {/\bTest::/} values %$texts;
    $ending = sub { my ($code) = @_; $script->( $names->[ $next - 1 ], $code ); $finish->() };
    $finish = sub {
        while ( $next < @$names ) {
            my $name = $names->[ $next++ ];
            %Glovebox::last_difference = ();
            my $text = "package main; UNITCHECK { \$GloveboxExam::compiled = 1 }\n#line 1 \"$name\"\n$texts->{$name}";
            our $compiled = 0;
            GloveboxExam::Clean::run($text);
            my $error = $@;
            if ( !$compiled && $error ne '' ) {
                # How the rest is read may depend on the program's subs.
                broken("the tests do not parse: $error")
                    if $error =~ /^(?:Missing right|Unmatched right|Can't find string terminator|(?:Search pattern|Substitution \w+|Transliteration \w+) not terminated)/m;
                $error = "the tests do not compile with the program: $error";
            }
            $script->( $name, 0, ref $error || $error ne '' ? "$error" : undef );
        }
        $look->() if $look;
        broken('the tests never called the program') if $calls && !$calls->();
        event( type => 'done', total => $total, passed => $passed, failed => $failed, $nonce ? ( nonce => $nonce ) : () );
        CORE::exit( $passed == $total ? 0 : 1 );
    };
    $finish->();
}

package GloveboxExam::Clean;

no strict;
no warnings;

# run has no lexical variable and no pragma for the tests to see.
sub run { eval $_[0] }

1;
