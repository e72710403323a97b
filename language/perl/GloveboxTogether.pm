package GloveboxTogether;

# Loads a program into the process of a test script:
# perl -MGloveboxTogether TEST MAIN LIBRARY MODULES ARGUMENT...
use strict;
use warnings;
use GloveboxCheck ();
use GloveboxExam;
use GloveboxLoad;

sub import {
    open my $in, '<&=', 3 or die "no token: $!";
    chomp( $GloveboxExam::token = <$in> // '' );
    close $in;
    my ( $main, $library, $modules ) = splice @ARGV, 0, 3;
    @INC = grep { !m{^/opt/glovebox/} } @INC;
    push @INC, '/opt/glovebox/perl/lib', 't/lib', 'lib', 't', '.', 'blib/lib';
    open my $report, '>&', 5 or die "no report: $!";
    $GloveboxExam::report = $report;
    my @modules = split ' ', $modules;
    GloveboxExam::needs( scalar GloveboxExam::read_file($0), @modules );
    GloveboxExam::begin( $0, $library );

    # What the tests rely on must be after the program what it was before.
    for my $module ( grep { /\ATest(?:2|\b)/ && GloveboxExam::installed($_) } @modules ) { eval "require $module" }
    $GloveboxExam::look = GloveboxExam::watch();
    {
        local $SIG{__DIE__};
        GloveboxLoad::program($main);
    }
    $GloveboxExam::look->();
    for my $module ( @modules ) {
        ( my $file = "$module.pm" ) =~ s{::}{/}g;
        $INC{$file} //= $main if !GloveboxExam::installed($module) && GloveboxLoad::defines($module);
    }
}

1;
