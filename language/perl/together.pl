# Runs test scripts with a program in their own process, each in a perl of its own:
# perl together.pl MAIN LIBRARY MODULES TEST... -- ARGUMENT... The nonce shows that
# they ran to their end; it does not stop a program that is out to find it.
use strict;
use warnings;
use lib '/opt/glovebox/perl';
use POSIX ();
use GloveboxExam;

open my $link, '<&=', 3 or die "no nonce: $!";
chomp( my $nonce = <$link> // '' );
close $link;
my ( $main, $library, $modules, @tests ) = splice @ARGV, 0, 3;
while ( defined( my $test = shift @ARGV ) ) { last if $test eq '--'; push @tests, $test }
my @arguments = @ARGV;
GloveboxExam::scripts( sub { ( $^X, '-I/opt/glovebox/perl', '-MGloveboxTogether', $_[0], $main, $library, $modules, @arguments ) }, $nonce, @tests );
