# Prints the libraries that are here, `name version` a line.
use strict;
use warnings;
use File::Find;

my $most = 400;
printf "Perl %vd\n", $^V;
my (%core, %other);
my $told = eval { require Module::CoreList; 1 };
for my $dir (grep { !ref && m{^/} && -d && !m{^/opt/glovebox} && !m{^/workspace} } @INC) {
    find({ no_chdir => 1, wanted => sub {
        return unless /\.pm\z/ && -f;
        my $name = substr($_, length($dir) + 1) =~ s{/}{::}gr =~ s/\.pm\z//r;
        my $site = $dir =~ /site|vendor|local|share\/perl5\z|lib\S*\/perl5\//;
        ($told ? Module::CoreList->first_release($name) : !$site) ? ($core{$name} = 1) : ($other{$name} //= $_);
    } }, $dir);
}
print '(core) ', join(' ', grep { !/::.*::/ } sort keys %core), "\n";
my @names = sort keys %other;
for my $name (@names > $most ? @names[0 .. $most - 1] : @names) {
    my $version = '';
    if (open my $file, '<', $other{$name}) {
        while (my $line = <$file>) {
            last if $. > 300;
            if ($line =~ /\$VERSION\s*=\s*["']?v?([\d._]+)/) { $version = $1; last }
        }
    }
    print "$name $version\n";
}
printf "(%d more)\n", @names - $most if @names > $most;
