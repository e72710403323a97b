package GloveboxLoad;

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
    @GloveboxLoad::INC = @INC;
    @INC = ( ( grep { !m{^/opt/glovebox/perl$} } @INC ), '/opt/glovebox/perl/lib', '.' );
    GloveboxLoad::Clean::run($text);
    if ( my $error = $@ ) {
        my $event = GloveboxCheck::explain( "$error", $GloveboxLoad::file );
        GloveboxCheck::say_event($event) if $event;
        print STDERR $error;
        exit 1;
    }
}

# known gives a name with what it is in the program: a sub with its prototype,
# or a package.
sub known {
    my ($name) = @_;
    return () if $name !~ /\A[A-Za-z_]\w*(?:::\w+)*\z/;
    return ( $name => { prototype => prototype("main::$name") } ) if defined &{"main::$name"};
    return ( $name => { package => 1 } ) if grep { !/::\z/ && defined &{"${name}::$_"} } keys %{"${name}::"};
    return ();
}

package GloveboxLoad::Clean;

# run has no lexical variable and no pragma for the program to see.
sub run { eval $_[0] }

1;
