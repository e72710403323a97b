package GloveboxLoad;

# Loads a program as perl would, and says what it defines. No module is loaded.
BEGIN { ${^WARNING_BITS} = "\0" x 32 }

# program compiles a file, reports that, and runs it as if its text stood here.
# It returns where the program ran to its end; nothing else does.
sub program {
    $GloveboxLoad::file = shift;
    open my $in, '<:raw', $GloveboxLoad::file or die "$GloveboxLoad::file: $!";
    my $text = do { local $/; <$in> };
    GloveboxCheck::open_report();
    my $data = $text =~ /^__(?:END|DATA)__[ \t]*\r?\n(.*)/ms ? $1 : undef;
    if ( defined $data ) { open main::DATA, '<', \$data }
    $text = "package main; UNITCHECK { GloveboxCheck::say_event('{\"type\":\"checked\"}') }\n#line 1 \"$GloveboxLoad::file\"\n$text";
    @INC = ( ( grep { !m{^/opt/glovebox/} } @INC ), '/opt/glovebox/perl/lib', 'lib', '.' );
    GloveboxLoad::Clean::run($text);
    if ( my $error = $@ ) {
        my $event = GloveboxCheck::explain( "$error", $GloveboxLoad::file );
        GloveboxCheck::say_event($event) if $event;
        print STDERR $error;
        exit 1;
    }
}

# defines reports whether a package has subs of its own, or parents.
sub defines {
    my ($package) = @_;
    return !!( @{"${package}::ISA"} || grep { !/::\z/ && defined &{"${package}::$_"} } keys %{"${package}::"} );
}

# module loads a module of the program where its main file did not.
sub module {
    my ($package) = @_;
    return if defines($package);
    ( my $file = "$package.pm" ) =~ s{::}{/}g;
    require $file if grep { !ref && -e "$_/$file" } 'lib', '.';
}

# parents are the classes of which a class is one, itself first.
sub parents {
    my ( $class, %seen ) = @_;
    my @todo = $class;
    my @found;
    while ( @todo && @found < 50 ) {
        my $c = shift @todo;
        next if $seen{$c}++;
        push @found, $c;
        unshift @todo, @{"${c}::ISA"};
    }
    return @found;
}

package GloveboxLoad::Clean;

# run has no lexical variable and no pragma for the program to see.
sub run { eval $_[0] }

1;
