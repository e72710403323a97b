package GloveboxParse;

# Has perl -c read tests without a program: a module that is not here is empty.
sub import {
    push @INC, '/opt/glovebox/perl/lib', sub { my $text = '1;'; open my $in, '<', \$text; return $in };
}

1;
