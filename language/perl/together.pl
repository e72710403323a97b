# Runs a program and its tests in one interpreter: perl together.pl MAIN TEST... -- ARGUMENT...
# The nonce shows that the tests ran to their end; it does not stop a program
# that is out to find it.
use strict;
use warnings;
use lib '/opt/glovebox/perl', '/opt/glovebox/perl/lib';
use GloveboxCheck ();
use GloveboxLoad;
use GloveboxExam;
use Test::Deep ();
use Test::More ();

open my $link, '<&=', 3 or die "no nonce: $!";
chomp( my $nonce = <$link> // '' );
close $link;
open my $copy, '>&', 5 or die "no report: $!";
$GloveboxExam::report = $copy;

# What the tests rely on must be after the program what it was before.
my @watched = map { my $p = $_; no strict 'refs'; map {"${p}::$_"} grep { defined &{"${p}::$_"} } keys %{"${p}::"} }
    qw(Test::Deep Test::More Test::Builder GloveboxExam GloveboxWire CORE::GLOBAL);
my %before = map { no strict 'refs'; $_ => \&{$_} } @watched;
my ( $main, @tests ) = shift @ARGV;
while ( defined( my $test = shift @ARGV ) ) { last if $test eq '--'; push @tests, $test }
my $texts = GloveboxExam::texts(@tests);
GloveboxLoad::program($main);
my $unchanged = sub {
    for my $name (@_) {
        no strict 'refs';
        GloveboxExam::broken("the program changes $name, which the tests rely on") if \&{$name} != $before{$name};
    }
};
$unchanged->(@watched);
# A tree's tests find it where they usually do; what is Perl's own comes first.
push @INC, 'lib', 't/lib', '.' if $main =~ m{^\.glovebox/};
Test::Builder->new->reset;
# The two that are left out are the ones that we overhear.
$GloveboxExam::look = sub { $unchanged->( grep { !/::(?:_is_)?diag$/ } @watched ) };
$GloveboxExam::nonce = $nonce;
GloveboxExam::run( $texts, \@tests );
