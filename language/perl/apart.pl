# Runs several test scripts of a program in another process, each in a perl of its
# own: perl apart.pl LIBRARY MADE MODULES CHANGES ORDERS JUDGES TEST...
use strict;
use warnings;
use lib '/opt/glovebox/perl';
use Fcntl ();
use POSIX ();
use GloveboxExam;

for my $fd ( 3, 4 ) {
    open my $link, '<&=', $fd or die "no link: $!";
    fcntl $link, Fcntl::F_SETFD(), 0;
    push our @keep, $link;
}
my @lists = splice @ARGV, 0, 6;
GloveboxExam::scripts( sub { ( $^X, '-I/opt/glovebox/perl', '-MGloveboxHarness', $_[0], @lists ) }, undef, @ARGV );
