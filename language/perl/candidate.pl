# Serves calls of a program's subs: perl candidate.pl FILE. What is said here is
# the program's word, which may rewrite all of this; the tests' side trusts none
# of it. No module is loaded, so that the program misses what it forgot to load.
BEGIN { $^H |= 0x600; ${^WARNING_BITS} = "\0" x 32; unshift @INC, '/opt/glovebox/perl' }
use GloveboxCheck ();
use GloveboxLoad;
use GloveboxWire;

package GloveboxCandidate;

my ( @objects, %id, %told, %subs, $wire, $scratch, @warnings, $listening );

# operators are what the tests may spell on an object that they made. They run
# with the program's own overloading.
my %operators = (
    ( map { my $op = $_; $op => eval "sub { \$_[0] $op \$_[1] }" } qw(+ - * / % ** x . << >> & | ^ <=> cmp < <= > >= == != lt le gt ge eq ne ~~) ),
    ( map { my $op = $_; "$op=" => eval "sub { my \$v = \$_[0]; \$v $op= \$_[1]; \$v }" } qw(+ - * / % ** x . << >> & | ^) ),
    ( map { my $op = $_; $op => eval "sub { $op(\$_[0]) }" } qw(abs int sqrt sin cos exp log) ),
    'atan2' => sub { atan2 $_[0], $_[1] },
    'neg'   => sub { -$_[0] },
    '!'     => sub { !$_[0] },
    '~'     => sub { ~$_[0] },
    '""'    => sub { "$_[0]" },
    '0+'    => sub { my $v = 0 + $_[0]; ref $v ? die "no number\n" : $v },
    'bool'  => sub { $_[0] ? 1 : 0 },
    'qr'    => sub { qr/$_[0]/ },
    '<>'    => sub { my $o = $_[0]; <$o> },
    '@{}'   => sub { [ @{ $_[0] } ] },
    '%{}'   => sub { +{ %{ $_[0] } } },
    '${}'   => sub { \( my $v = ${ $_[0] } ) },
    '&{}'   => sub { \&{ $_[0] } },
);
my @overloaded = ( keys %operators, qw(++ -- = nomethod) );

sub wrap {
    my ($v) = @_;
    my ( $type, $address ) = GloveboxWire::of($v);
    if ( my $p = $subs{"id $address"} ) { return qq({"p":$p->[0]}) }
    if ( !defined $id{$address} ) { push @objects, $v; $id{$address} = $#objects }
    my $class = ref $v eq $type ? '' : ref $v;
    my @more;
    if ( $class ne '' && !$told{$class}++ ) {
        @more = ( [ GloveboxLoad::parents($class) ], [ grep { UNIVERSAL::can( $class, "($_" ) } @overloaded ] );
    }
    return '{"o":' . $wire->encode( [ $id{$address}, $class, $type, @more ] ) . '}';
}

sub unwrap {
    my ( $tag, $of ) = @_;
    if ( $tag eq 'o' ) { return $objects[ $of->[0] ] // die "no such object\n" }
    if ( $tag eq 'p' ) { return $subs{$of} //= sub_of_tests($of) }
    if ( $tag eq 'd' ) { return $of->[0] }
    if ( $tag eq 'x' ) { return GloveboxWire::regexp(@$of) }
    if ( $tag eq 'b' ) {
        my ( $class, $text ) = @$of;
        if ( $class eq 'JSON::PP::Boolean' ) { require JSON::PP; return $text ? JSON::PP::true() : JSON::PP::false() }
        require( $class eq 'Math::BigInt' ? 'Math/BigInt.pm' : 'Math/BigFloat.pm' );
        return $class->new($text);
    }
    die "a value of no known form\n";
}

# sub_of_tests calls a sub of the tests', with what $_, $a and $b are here.
sub sub_of_tests {
    my ($of) = @_;
    my $code = sub {
        my $want = wantarray;
        my $topics = eval { $wire->encode( [ $_, $main::a, $main::b ] ) } // '[null,null,null]';
        my $m = $wire->call( qq(["back",$of,) . ( $want ? 1 : 0 ) . ',' . $wire->encode( \@_ ) . ",$topics]" );
        die $m->[1] if $m->[0] ne 'list';
        return $want ? @{ $m->[1] } : $m->[1][-1];
    };
    my ( undef, $address ) = GloveboxWire::of($code);
    $subs{"id $address"} = [$of];
    return $code;
}

# run calls code and says what came of it: what it gave, what it changed of its
# arguments, what it warned of.
sub run {
    my ( $want, $code, $args ) = @_;
    my @before = map { eval { $wire->encode($_) } } @$args;
    my @list;
    @warnings = ();
    my $ok = do {
        local $SIG{__WARN__} = sub { push @warnings, "$_[0]"; print STDERR "$_[0]" } if $listening;
        eval {
            if    ($want)           { @list = $code->(@$args) }
            elsif ( defined $want ) { $list[0] = $code->(@$args) }
            else                    { $code->(@$args) }
            1;
        };
    };
    my $error = $@;
    my $frame = eval { $ok ? '["list",' . $wire->encode( \@list ) : '["die",' . $wire->encode($error) }
        // return '["fail",' . GloveboxWire::text($@) . ']';
    my @changed;
    for my $i ( 0 .. $#$args ) {
        my $now = eval { $wire->encode( $args->[$i] ) } // next;
        push @changed, "[$i,$now]" if defined $before[$i] && $now ne $before[$i];
    }
    return "$frame,[" . join( ',', @changed ) . '],' . $wire->encode( \@warnings ) . ']';
}

my %serves = (
    # names says what some words are in the program.
    names => sub {
        my ( $words, $modules, $warns ) = @_;
        $listening = $warns;
        for my $module (@$modules) {
            eval { GloveboxLoad::module($module); 1 } or return '["die",' . GloveboxWire::text($@) . ']';
        }
        my ( %subs, %packages );
        for my $word (@$words) {
            $subs{$word} = prototype( $word =~ /::/ ? $word : "main::$word" ) if defined &{ $word =~ /::/ ? $word : "main::$word" };
            $packages{$word} = [ [ GloveboxLoad::parents($word) ], [ grep { UNIVERSAL::can( $word, "($_" ) } @overloaded ] ]
                if GloveboxLoad::defines($word);
        }
        return '["list",' . $wire->encode( [ \%subs, \%packages ] ) . ']';
    },
    sub    => sub { my ( $want, $args, $name ) = @_; run( $want, \&{ $name =~ /::/ ? $name : "main::$name" }, $args ) },
    code   => sub { my ( $want, $args, $code ) = @_; run( $want, $code,     $args ) },
    method => sub { my ( $want, $args, $of, $name ) = @_; run( $want, sub { $of->$name(@_) }, $args ) },
    # import has a package export into one of its own, and says what came.
    import => sub {
        my ( $class, @args ) = @_;
        my $to = 'GloveboxImport' . $scratch++;
        eval "package $to; \$class->import(\@args); 1" or return '["die",' . GloveboxWire::text("$@") . ']';
        my @names = grep { defined &{"${to}::$_"} } keys %{"${to}::"};
        return '["list",' . $wire->encode( [ $to, { map { $_ => prototype "${to}::$_" } @names } ] ) . ']';
    },
    operator => sub { my ( $want, undef, $op, $args ) = @_; run( $want, $operators{$op}, $args ) },
    fields   => sub {
        my ($of) = @_;
        my ($type) = GloveboxWire::of($of);
        run( 0, sub { BEGIN { $^H |= 0x1000000 } $type eq 'HASH' ? +{%$of} : $type eq 'ARRAY' ? [@$of] : \( my $v = $$of ) }, [] );
    },
    store => sub {
        my ( $of, $key, @value ) = @_;
        my ($type) = GloveboxWire::of($of);
        run( 0, sub {
            BEGIN { $^H |= 0x1000000 }
            if    ( $type eq 'HASH' )  { @value ? ( $of->{$key} = $value[0] ) : delete $of->{$key} }
            elsif ( $type eq 'ARRAY' ) { @value ? ( $of->[$key] = $value[0] ) : ( $#$of = $key - 1 ) }
            else                       { $$of = $value[0] }
            1;
        }, [] );
    },
);


sub serve {
    my ( $op, $dropped, $seed, @rest ) = @_;
    for my $id (@$dropped) {
        my ( undef, $address ) = GloveboxWire::of( $objects[$id] );
        delete $id{$address};
        undef $objects[$id];
    }
    srand $seed if defined $seed;
    my $serve = $serves{$op} // return '["fail","a request of no known form"]';
    return $serve->(@rest);
}

$wire = GloveboxWire->new( wrap => \&wrap, unwrap => \&unwrap, serve => \&serve );
$| = 1;
GloveboxLoad::program( shift @ARGV );
$wire->listen;
