# Checks Perl files: see lint.py for what is printed. Perl compiles a file by
# running its BEGIN blocks.
use strict;
use warnings;

my $found = 0;
my $checked = 0;
for my $file (@ARGV) {
    next unless $file =~ /\.(?:pl|pm|t)\z/ && -f $file;
    $checked++;
    my @lib = map { "-I$_" } grep { -d } qw(lib .);
    my $pid = open my $out, '-|';
    defined $pid or die "fork: $!";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        open STDIN, '<', '/dev/null';
        exec $^X, '-w', '-c', @lib, $file;
        exit 127;
    }
    my $before = $found;
    while (my $line = <$out>) {
        # What BEGIN blocks print looks like nothing of this.
        next unless $line =~ /^(.+) at (\S+) line (\d+)(?:,.*|\.)?$/;
        my ($message, $where, $number) = ($1, $2, $3);
        next if $where ne $file || $message =~ /^BEGIN failed/;
        $found++;
        print "$file:$number:1: $message\n";
    }
    close $out;
    if ($? && $found == $before) {
        $found++;
        print "$file:1:1: it does not compile\n";
    }
}
if (!$checked) {
    print STDERR "no file of Perl is among those to check\n";
    exit 3;
}
exit($found ? 1 : 0);
