# Gives both ends of the link what nobody would send: perl fuzz.pl SEED SECONDS TRIES,
# with our drivers in /opt/glovebox/perl. Each must end with a value or a refusal. It
# prints how much was tried, and exits with 1 where something else came of it.
use strict;
use warnings;
use lib '/opt/glovebox/perl';
use POSIX ();
use Time::HiRes 'time';
use Scalar::Util ();
our ( $executed, %count );

BEGIN {
    # What nothing on the link may bring about.
    no strict 'refs';
    for my $name (qw(kill unlink)) {
        no warnings 'once';
        *{"CORE::GLOBAL::$name"} = sub { $executed = $name; die "executed $name" };
    }
}
use GloveboxExam;
use GloveboxWire;
use GloveboxHarness ();

my ( $seed, $seconds, $tries ) = @ARGV;
srand $seed;
system('true') if 0;

sub pick { $_[ rand @_ ] }

my @plain = ( 'null', '0', '-1', '1e400', '-', '1.5', '12345678901234567890', '""', '"x"', '"nancy"', '"\u00ff\\\\"', '"é"', '[]', '[1,2,3]', '[1.5,2e3]', '[1,,2]', '["a","b"]', '["a",1]',
    '{"h":{}}', '{"h":{"a":1,"b":"c"}}', '{"h":[1]}', '{"r":1}', '{"r":{"r":null}}', '{"n":"NaN"}', '{"n":"-Inf"}', '{"n":"x"}', '{"d":["x",5]}', '{"d":["5",null]}', '{"d":5}',
    '{"x":["a+(b|c)*","i"]}', '{"x":["(?{ $main::executed = 1 })","x"]}', '{"x":["(??{ 1 })",""]}', '{"x":["(","e"]}', '{"b":["Math::BigInt","12"]}', '{"b":["Math::BigFloat","1.5"]}', '{"b":["JSON::PP::Boolean","1"]}', '{"b":["File","x"]}',
    '{"o":[0,"Foo","HASH",["Foo"],["==","eq","\"\""]]}', '{"o":[1,"Bar","ARRAY",["Bar","Foo"],[]]}', '{"o":[2,"","CODE"]}', '{"o":[3,"Test::Builder","HASH",["Test::Builder"],["bool"]]}', '{"o":[4,"x y","GLOB",[],[]]}', '{"o":[-1,"Foo","HASH"]}', '{"o":5}',
    '{"p":0}', '{"p":99}', '{"z":1}', '"Test::Builder"', '"*main::STDOUT"' );

my @valid = ( 'null', '0', '-1', '1.5', '""', '"x"', '"nancy"', '"\u00ff\\\\"', '[]', '[1,2,3]', '[1.5,2e3]', '["a","b"]', '{"h":{}}', '{"r":1}', '{"n":"NaN"}', '{"d":["x",5]}', '{"x":["a+(b|c)*","i"]}',
    '{"b":["Math::BigInt","12"]}', '{"o":[0,"Foo","HASH",["Foo"],["==","eq","\"\""]]}', '{"o":[1,"Bar","ARRAY",["Bar","Foo"],[]]}', '{"o":[2,"","CODE"]}', '{"p":0}' );
my @kept;
my @plainest = grep { !/"o"/ } @valid;
my $sound;    # whether the frame that is made is one that a program may send

sub tree {
    my ($depth) = @_;
    if ($sound) { return rand() < 0.6 ? pick( $sound > 1 ? @plainest : @valid ) : rand() < 0.5 ? '[' . join( ',', map { tree() } 1 .. rand 5 ) . ']' : '{"h":{' . join( ',', map {"\"k$_\":" . tree() } 1 .. rand 4 ) . '}}' }
    return pick(@plain) if $depth > 5 || rand() < 0.6;
    my $kind = int rand 4;
    return '[' . join( ',', map { tree( $depth + 1 ) } 1 .. rand 5 ) . ']' if $kind == 0;
    return '{"h":{' . join( ',', map {"\"k$_\":" . tree( $depth + 1 ) } 1 .. rand 4 ) . '}}' if $kind == 1;
    return '{"' . pick(qw(h r n d x b o p q)) . '":' . tree( $depth + 1 ) . '}' if $kind == 2;
    return '{"o":[' . join( ',', int( rand 9 ), tree( $depth + 1 ), pick( '"HASH"', '"ARRAY"', '"SCALAR"', '"CODE"', '"x"' ), tree( $depth + 1 ), tree( $depth + 1 ) ) . ']}';
}

# bent changes some bytes of a text.
sub bent {
    my ($bytes) = @_;
    for ( 1 .. rand 4 ) {
        my $at = int rand( 1 + length $bytes );
        my $how = int rand 4;
        if    ( $how == 0 ) { substr( $bytes, $at, 1 ) = chr int rand 256 if $at < length $bytes }
        elsif ( $how == 1 ) { substr( $bytes, $at, int rand 8 ) = '' }
        elsif ( $how == 2 ) { substr( $bytes, $at, 0 ) = substr( $bytes, int rand( 1 + length $bytes ), int rand 20 ) }
        else                { substr( $bytes, $at, 0 ) = pick( '[', '{', '"', '}', ']', ',', ':', '\\', '0', '1e9', '\u00', '-' ) }
    }
    return rand() < 0.002 ? '[' x 5000 . $bytes . ']' x 5000 : $bytes;
}

# tries has code end with a value, or die with a short text.
sub tries {
    my ( $what, $given, $code ) = @_;
    $count{$what}++;
    my $fine = eval {
        local $SIG{ALRM} = sub { die { hangs => 1 } };
        alarm 20;
        $code->();
        alarm 0;
        1;
    };
    my $error = $@;
    alarm 0;
    $count{"$what: refused"}++ if !$fine;
    $executed //= 'a name of the library' if \&Test::Builder::ok != \&main::ok;
    return if !$executed && ( $fine || !ref $error );
    print "SEED $seed, $what: ", $executed // ( ref $error eq 'HASH' ? 'it hangs' : "died with a " . ref $error ), "\n", substr( $given, 0, 2000 ), "\n";
    POSIX::_exit(1);
}
require Test::Builder;
*main::ok = \&Test::Builder::ok;

{
    no warnings 'redefine';
    *GloveboxExam::broken     = sub { die "broken: $_[0]\n" };
    *GloveboxExam::fault      = sub { die "fault: $_[0]\n" };
    *GloveboxExam::unrunnable = sub { die "unrunnable: $_[0]\n" };
}

# The harness's end: whatever the program answers, and what is done with it.
my $sub = sub { scalar @_ };
my $wire = bless {
    wrap => \&GloveboxHarness::wrap, unwrap => \&GloveboxHarness::unwrap, look => \&GloveboxHarness::look, serve => \&GloveboxHarness::serve, depth => 0
}, 'GloveboxWire';
$wire->encode( [$sub] );

sub harness {
    $sound = rand() < 0.5;
    my $frame = '[' . join( ',', pick( '"list"', '"die"', '"fail"', '"back"', tree(3) ), tree(0), rand() < 0.5 ? tree(0) : '[[0,' . tree(2) . ']]', '[]' ) . ']';
    $frame = bent($frame) if !$sound && rand() < 0.5;
    tries( 'harness', $frame, sub {
        my $m = $wire->decode($frame);
        my $again = $wire->encode($m);
        return if ref $m ne 'ARRAY' || ref $m->[0];
        if ( ( $m->[0] // '' ) eq 'back' ) { GloveboxHarness::serve(@$m); return }
        my ($v) = ref $m->[1] eq 'ARRAY' ? @{ $m->[1] } : $m->[1];
        my $text = !ref $v ? "$v" : '' if defined $v;
        GloveboxHarness::change( $_, $m->[1] ) for my @copies = ( 1, 'x', [1], { a => 1 } );
    } );
}

# The program's end: a process that reads such frames from a file until it refuses one.
sub program {
    my $frames = '';
    for ( 1 .. 30 ) {
        $sound = rand() < 0.9 ? 2 : 0;
        my $op    = pick(qw(names sub method code import operator fields store none));
        my $frame = '[' . join( ',', qq("$op"), '[]', pick( 'null', '5' ), $op eq 'sub' ? ( '1', '[' . tree(1) . ']', pick( '"f"', '"g"', '"main::f"' ) ) : map { tree(1) } 1 .. 4 ) . ']';
        $frame = bent($frame) if !$sound && rand() < 0.1;
        $frames .= ( $sound || rand() < 0.9 ? sprintf( '%08x', length $frame ) : pick( 'ffffffff', 'zzzzzzzz', '00000000', '0' ) ) . $frame;
    }
    open my $out, '>:raw', '/tmp/frames' or die $!;
    print $out $frames;
    close $out;
    open $out, '>', '/tmp/program.pl' or die $!;
    print $out "sub f { return \@_ } sub g { die \$_[0] }\npackage Foo; sub new { bless {\@_[1..\$#_]}, shift } sub import {}\n1;\n";
    close $out;
    $count{program}++;
    my $child = fork // die $!;
    if ( !$child ) {
        chdir '/tmp';
        $^F = 100;    # what is opened here stays open in the next program
        my @of = ( [ 3, '<', 'frames' ], [ 4, '>', 'answers' ], map { [ $_, '>', '/dev/null' ] } 1, 2, 5 );
        for (@of) {
            my ( $fd, $how, $file ) = @$_;
            open my $io, $how, $file or POSIX::_exit(2);
            push @kept, $io;
            POSIX::dup2( fileno $io, $fd ) if fileno $io != $fd;
        }
        alarm 60;
        exec $^X, '/opt/glovebox/perl/candidate.pl', 'program.pl' or POSIX::_exit(2);
    }
    waitpid $child, 0;
    my $status = $?;
    open my $in, '<:raw', '/tmp/answers' or die $!;
    my $answers = do { local $/; <$in> };
    while ( $answers =~ /\A([0-9a-f]{8})\[/ && length $answers >= 8 + hex $1 ) { $count{'program: answers'}++; substr( $answers, 0, 8 + hex $1 ) = '' }
    return if !( $status & 127 );
    print "SEED $seed, the program's end: status $status\n$frames\n";
    POSIX::_exit(1);
}

my $stop = time + $seconds;
for ( my $n = 0; $n < $tries && time < $stop; $n++ ) {
    harness();
    program() if $n % 300 == 0;
}
print join( ', ', map {"$_ $count{$_}"} sort keys %count ), "\n";
POSIX::_exit(0);
