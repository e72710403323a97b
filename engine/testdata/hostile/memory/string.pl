# want: memory_limit
# limits: memory=96MiB
my @x; my $i = 0;
push @x, $i++ . "x" x (1 << 20) while 1;
