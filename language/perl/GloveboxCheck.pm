package GloveboxCheck;

# Reports whether the program compiles: perl -I… -MGloveboxCheck FILE. It runs
# before the program's first line, but BEGIN blocks run while Perl compiles, so
# its word is the program's own where they lie: it never makes a pass.
BEGIN { $^H |= 0x602; ${^WARNING_BITS} = "\0" x 32 }    # strict, and no module loaded

our ( $report, $said, $message );

# The program exits with $! where it dies: it is left as it was.
sub open_report { local $!; open $report, '>&=', 5 or undef $report }

sub say_event {
    my ($line) = @_;
    return if $said++ || !$report;
    local $!;
    syswrite $report, "$line\n";
    close $report;
}

# explain makes an event of what the parser said; nothing where it was not the
# parser: a BEGIN block that died, or a module that is not there.
sub explain {
    my ( $text, $main ) = @_;
    return if $text =~ /^BEGIN failed--/m && $text !~ /^syntax error/m;
    return if $text =~ /^Can't locate /m;
    my ($first) = grep { !/^Subroutine .* redefined/ } split /\n/, $text;
    my ( $what, $file, $line ) = ( $first // '' ) =~ /^(.*?) at (\S+) line (\d+)/ or return;
    ( my $near = $first ) =~ s/^.*? line \d+//;
    $what .= $near unless $near =~ /^\.?$/;
    return sprintf '{"type":"syntax","syntax":{"file":"%s","line":%d,"message":"%s"}}',
        quoted( $file || $main ), $line, quoted( substr $what, 0, 500 );
}

sub quoted {
    my ($text) = @_;
    $text =~ s/([\\"])/\\$1/g;
    $text =~ s/([^\x20-\x7e])/sprintf '\\u%04x', ord $1/ge;
    return $text;
}

sub import {
    open_report();
    $| = 1;    # a pipe gets 8 KiB at a time, and a program that is stopped at a limit loses them
    @INC = grep { !m{^/opt/glovebox/} } @INC;
    push @INC, '/opt/glovebox/perl/lib';
    $SIG{__DIE__} = sub { $message = $_[0] if !defined $^S };
    eval q{
        INIT { GloveboxCheck::say_event('{"type":"checked"}'); delete $SIG{__DIE__} }
        END {
            my $event = defined $GloveboxCheck::message && GloveboxCheck::explain( "$GloveboxCheck::message", $0 );
            GloveboxCheck::say_event( $event || '{"type":"checked"}' );
        }
    };
}

1;
