package GloveboxHarness;

# Gives a test script the subs and classes of a program that runs in another
# process: perl -MGloveboxHarness TEST LIBRARY MADE MODULES CHANGES ORDERS JUDGES. What comes from there
# is decoded whole, or is a handle: a made one, which the tests' own text
# constructed (MADE names the classes), or a result. docs/harness-protocol.md
# says what each may be asked.
use strict;
use warnings;
use GloveboxExam;
use GloveboxWire;
use Scalar::Util ();

# A handle is a reference of its object's kind. %of knows it by its address; it
# may have no method of ours but those that every object has.
my ( %of, %here, %class, %package, @subs, %sub_id, @dropped, @kept, @served, %methods, $wire, $seed, $turn );
my ( %made_class, %changes, $orders );

sub of { ref $_[0] ? $of{ Scalar::Util::refaddr( $_[0] ) } : undef }

# ---- the link

# ask asks the program; what goes wrong on the link ends the tests, so that no
# eval in them makes it unseen.
sub ask {
    my ( $op, @rest ) = @_;
    $GloveboxExam::calls++;
    my $answer = do {
        local ( $@, $SIG{__DIE__}, $! );
        my $frame = eval { '["' . join( ',', qq($op"), map { $wire->encode($_) } [ splice @dropped ], $seed, @rest ) . ']' };
        if ( !$frame ) { chomp( my $why = $@ ); GloveboxExam::fault("a value of the tests cannot be given to the program: $why") }
        undef $seed;
        my $m = eval { $wire->call($frame) };
        if ( !$m ) {
            chomp( my $why = $@ );
            GloveboxExam::broken( $why =~ /process ended/ ? "the program's process ended during " . about(@rest) : about(@rest) . ": $why" );
        }
        $m;
    };
    GloveboxExam::fault( about(@rest) . ': ' . GloveboxWire::bounded( ref $answer->[1] ? 'it failed' : $answer->[1] ) ) if $answer->[0] eq 'fail';
    return $answer;
}

# about names what was asked, for messages.
sub about {
    my ($name) = grep { defined && !ref && /\A[A-Za-z_][\w:]*\z/ } reverse @_;
    return $name // 'an operation';
}

# call has the program run something. What it changed of its arguments is
# changed here, too, where the tests' text reads that back (CHANGES).
sub call {
    my ( $op, $want, $args, @rest ) = @_;
    my $m = ask( $op, defined $want ? ( $want ? 1 : 0 ) : undef, $args, @rest );
    $turn++;
    local ( $@, $! );
    my ($name) = $op eq 'code' ? '' : ( $rest[-1] // '' ) =~ /(\w+)\z/;
    for my $c ( @{ ref $m->[2] eq 'ARRAY' && $changes{ $name // '' } ? $m->[2] : [] } ) {
        next if ref $c ne 'ARRAY' || ( $c->[0] // '' ) !~ /\A\d{1,6}\z/ || $c->[0] > $#$args;
        change( $args->[ $c->[0] ], $c->[1] );
    }
    if ( ref $m->[3] eq 'ARRAY' ) { warn ref $_ ? "a warning\n" : $_ for map { plainly($_) } grep { defined } @{ $m->[3] } }
    return $m;
}

# change makes an argument what the program made of it, where both are plain and
# of one kind.
sub change {
    my $new = $_[1];
    return if of( $_[0] ) || of($new);
    my $kind = ref $_[0];
    if ( $kind eq '' ) {
        GloveboxExam::fault('the program changes an argument to what is no plain value') if ref $new;
        eval { $_[0] = $new; 1 };
    }
    elsif ( ref $new ne $kind ) { return }
    elsif ( $kind eq 'ARRAY' )  { @{ $_[0] } = @$new }
    elsif ( $kind eq 'HASH' )   { %{ $_[0] } = %$new }
    elsif ( $kind eq 'SCALAR' || $kind eq 'REF' ) { ${ $_[0] } = $$new }
}

# result gives the tests what came of a call, or dies of what the program died of.
sub result {
    my ( $m, $want ) = @_;
    if ( $m->[0] eq 'die' ) { raised( plainly( $m->[1] ) ) }
    GloveboxExam::broken('an answer of no known form') if ref $m->[1] ne 'ARRAY';
    return $want ? @{ $m->[1] } : $m->[1][-1];
}

# plainly is a message, also one that begins as a number without end does.
sub plainly { my ($v) = @_; return ref $v eq 'Glovebox::Endless' ? $$v : $v }

# raised has the tests die of what the program died of. It must not look like no
# error, nor like what ends a subtest as if nothing had happened.
sub raised {
    my ($error) = @_;
    my $text = of($error) && claims( of($error), '""' ) ? text($error) : $error;
    GloveboxExam::fault('the program dies of an object whose text says that there is no error') if ref $error && !$text;
    GloveboxExam::fault('the program dies of what ends a subtest of Test2') if !ref $text && ( $text // '' ) =~ /T2_SUBTEST_WRAPPER/;
    local $! = 0;
    die $error;
}

# serve runs a sub of the tests for the program, with its $_, $a and $b.
sub serve {
    my ( $op, $id, $want, $args, $topics ) = @_;
    my $code = $op eq 'back' && defined $id && $id =~ /\A\d{1,9}\z/ ? $subs[$id] : undef;
    die "a request of no known form\n" if !$code || ref $args ne 'ARRAY' || ref $topics ne 'ARRAY';
    my @list;
    $served[$id]++;
    no warnings 'once';
    local ( $_, $main::a, $main::b ) = @$topics;
    my $ok = eval { $want ? ( @list = $code->(@$args) ) : ( $list[0] = $code->(@$args) ); 1 };
    my $error = $@;
    my $frame = eval { $ok ? '["list",' . $wire->encode( \@list ) . ']' : '["die",' . $wire->encode($error) . ']' };
    return $frame // '["die","what the sub of the tests gives cannot be carried to the program\n"]';
}

# ---- values

sub wrap {
    my ($v) = @_;
    return GloveboxWire::plain($$v) if ref $v eq 'Glovebox::Endless';
    if ( my $known = of($v) ) { return qq({"o":[$known->{id}]}) }
    die 'an object of the class ' . ref($v) . "\n" if ref $v ne 'CODE';
    my $id = $sub_id{ Scalar::Util::refaddr($v) } //= push( @subs, $v ) - 1;
    return qq({"p":$id});
}

sub unwrap {
    my ( $tag, $what ) = @_;
    if ( $tag eq 'p' ) { return defined $what && $what =~ /\A\d{1,9}\z/ && $subs[$what] || die "no such sub\n" }
    die "a value of no known form\n" if ref $what ne 'ARRAY';
    if ( $tag eq 'x' ) { return GloveboxWire::regexp( @$what[ 0, 1 ] ) }
    if ( $tag eq 'd' ) {
        die "a value of no known form\n" if grep( { !defined || ref } @$what[ 0, 1 ] ) || !Scalar::Util::looks_like_number( $what->[1] );
        return Scalar::Util::dualvar( 0 + $what->[1], "$what->[0]" );
    }
    if ( $tag eq 'b' ) { return exact(@$what) }
    die "a value of no known form\n" if $tag ne 'o';
    my ( $id, $class, $type, $parents, $ops ) = @$what;
    die "a value of no known form\n" if grep { !defined || ref } $id, $class, $type;
    die "a value of no known form\n" if $id !~ /\A\d{1,9}\z/ || $type !~ /\A[A-Z]{1,20}\z/ || length $class > 250;
    learn( $class, $parents, $ops );
    return handle( 0, $id, $class, $type );
}

# exact makes a value of an exact type of Perl's own library anew.
sub exact {
    my ( $class, $text ) = map { $_ // '' } @_[ 0, 1 ];
    if ( $class eq 'JSON::PP::Boolean' ) { require JSON::PP; return $text ? JSON::PP::true() : JSON::PP::false() }
    die "a value of no known form\n" if $class !~ /\AMath::Big(?:Int|Float)\z/ || $text !~ /\A-?(?:\d{1,60000}(?:\.\d{1,60000})?|inf|NaN)\z/;
    return bless \$text, 'Glovebox::Endless' if $orders && $text =~ /inf|NaN/;
    require Math::BigInt;
    require Math::BigFloat;
    return $class->new($text);
}

# look gives what a text or a number that came is here. One that is no number, or
# has no end, answers each question for its order with no: die if abs($got - 2.5) >
# 0.1 would hold. So does what arithmetic makes of a very large number. Where the
# tests ask such a question, it is an object that knows.
sub look {
    my ($v) = @_;
    word($v) if %methods;
    return $v if !$orders || $v !~ /\A\s*[-+]?(?:nan|inf|1\.?#|[\d.]*e[-+]?\d{2}|[\d.]{50})/i || $v =~ /\A\s*[-+]?[\d.]/ && !Glovebox::Endless::far($v);
    return bless \$v, 'Glovebox::Endless';
}

# word looks at a text that came: it must not be the name of a class or of a
# filehandle of this process whose methods the tests call.
sub word {
    my ($text) = @_;
    return if length $text > 200 || $text !~ /\A\*?(?:main)?(?:::|')?([A-Za-z_]\w*)(?:(?:::|')\w+)*(?:::)?\z/;
    return if !exists $main::{"$1::"} && !exists $main::{$1};
    ( my $name = $text ) =~ s/\A\*?(?:(?:main)?::)?|::\z//g;
    return if $class{$name};
    no strict 'refs';
    my $file = defined *{"main::$name"}{IO} ? 'IO::File' : $name;
    my ($bad) = grep { $file->can($_) && !UNIVERSAL->can($_) } keys %methods;
    return if !defined $bad;
    push @GloveboxExam::faults, "the program gives the text $text, which is a name in the tests' own process, where it has the method $bad that the tests call";
}

# ---- handles

# learn keeps what the program says of a class when it first names it.
sub learn {
    my ( $class, $parents, $ops ) = @_;
    return if $class eq '' || $class{$class};
    my %list = ( parents => [$class], ops => [] );
    $list{parents} = [ grep { defined && !ref } @$parents ] if ref $parents eq 'ARRAY';
    $list{ops}     = [ grep { defined && !ref } @$ops ]     if ref $ops eq 'ARRAY';
    $class{$class} = { isa => { map { $_ => 1 } $class, @{ $list{parents} } }, ops => { map { $_ => 1 } @{ $list{ops} } }, parents => $list{parents} };
}

# package_of is the package whose objects stand for those of a class: one of the
# same name, where nobody else has that name.
sub package_of {
    my ($class) = @_;
    return $package{$class} if $package{$class};
    my $name = $class;
    no strict 'refs';
    $name = 'Glovebox::Remote::Other' . keys %package if $class !~ /\A[A-Za-z_]\w*(?:::\w+)*\z/ || $class =~ /\ATest(?:2|::|\z)/ || %{"${class}::"} || GloveboxExam::installed($class);
    die "there are too many classes\n" if keys %package > 500;
    $package{$class} = $name;
    my @parents = grep { defined && $_ ne $name } map { $package{$_} } @{ $class{$class}{parents} };
    @{"${name}::ISA"} = ( @parents, 'Glovebox::Remote' );
    my $ops = $class{$class}{ops};
    my @ops = grep { $ops->{$_} } qw("" 0+ bool <> ${} @{} %{} &{} qr);
    push @ops, qw(lt le gt ge cmp x .) if grep { $ops->{$_} } qw("" cmp . x nomethod lt le gt ge);
    eval "package $name; overload->import(map { my \$op = \$_; (\$op => sub { GloveboxHarness::operator(\$op, \@_) }) } \@ops); 1" or die $@ if @ops;
    return $name;
}

# handle is what stands for an object here.
sub handle {
    my ( $made, $id, $class, $type ) = @_;
    my $known = $here{$made}{$id};
    return $known if defined $known;
    my $ref;
    if    ( $type eq 'HASH' )  { tie my %h, 'Glovebox::Fields::Hash',  $id; $ref = \%h }
    elsif ( $type eq 'ARRAY' ) { tie my @a, 'Glovebox::Fields::Array', $id; $ref = \@a }
    elsif ( $type eq 'CODE' )  {
        my $self;
        $ref = sub { result( call( 'code', wantarray, \@_, $self ), wantarray ) };
        Scalar::Util::weaken( $self = $ref );
        push @kept, $ref;    # its address stays its own
    }
    else { tie my $s, 'Glovebox::Fields::Scalar', $id; $ref = \$s }
    $of{ Scalar::Util::refaddr($ref) } = { id => $id, made => $made, class => $class, type => $type };
    bless $ref, $class eq '' ? 'Glovebox::Remote' : package_of($class) if $type ne 'CODE' || $class ne '';
    Scalar::Util::weaken( $here{$made}{$id} = $ref );
    @dropped = grep { $_ != $id } @dropped;
    return $ref;
}

# by_id is any handle of an object, to ask with.
sub by_id {
    my ($id) = @_;
    return $here{0}{$id} // $here{1}{$id};
}

# make makes a result one that the tests made.
sub make {
    my ($v) = @_;
    my $known = of($v) // return $v;
    return handle( 1, @$known{qw(id class type)} );
}

sub gone {
    my ($ref) = @_;
    return if ( ${^GLOBAL_PHASE} // '' ) eq 'DESTRUCT';
    my $known = delete $of{ Scalar::Util::refaddr($ref) } // return;
    delete $here{ $known->{made} }{ $known->{id} };
    push @dropped, $known->{id} if !defined $here{ 1 - $known->{made} }{ $known->{id} };
}

# claims reports whether a handle's class overloads one of the operators.
sub claims {
    my ( $known, @ops ) = @_;
    my $ops = ( $class{ $known->{class} } // return 0 )->{ops};
    return grep { $ops->{$_} } @ops, 'nomethod';
}

my %text_op   = map { $_ => 1 } qw(lt le gt ge eq ne cmp . x);
my %text_code = ( map { my $op = $_; $op => eval "sub { \$_[0] $op \$_[1] }" } keys %text_op );
my %type_of   = ( '${}' => 'SCALAR', '@{}' => 'ARRAY', '%{}' => 'HASH', '&{}' => 'CODE' );

# contents are what objects said that they hold, until the next call.
my %contents;

# operator is what an operator that the tests spell on a handle gives.
sub operator {
    my ( $op, $left, $right, $swapped ) = @_;
    my @known = grep { defined } of($left), of($right);
    my $made  = grep { $_->{made} } @known;
    ( $left, $right ) = ( $right, $left ) if $swapped;
    if ( $op eq '""' ) { return text( $swapped ? $right : $left ) }
    if ( $op eq '<>' ) { return next_of( $left, wantarray ) }
    if ( my $type = $type_of{$op} ) {
        my $content = $contents{"$known[0]{id} $op"};
        return $content->[1] if $content && $content->[0] == $turn;
        my $v = asked( $op, $left );
        GloveboxExam::fault("the program's object gives no value for $op") if ref $v ne $type;
        $contents{"$known[0]{id} $op"} = [ $turn, $v ] if !of($v);
        return $v;
    }
    if ( $text_op{$op} && !grep { claims( $_, $op, $op eq '.' || $op eq 'x' ? () : 'cmp', $op eq 'ne' ? 'eq' : () ) } @known ) {
        $GloveboxExam::judged = 1 if @known == 2 && $made;
        return ( $known[0]{id} == $known[1]{id} ) == ( $op eq 'eq' ) if @known == 2 && ( $op eq 'eq' || $op eq 'ne' ) && !grep { claims( $_, '""' ) } @known;
        return $text_code{$op}->( text($left), $op eq 'x' ? $right : text($right) );
    }
    if ( ( $op eq '==' || $op eq '!=' ) && @known == 2 && !grep { claims( $_, qw(== != <=> - 0+ ""), 'bool' ) } @known ) {
        $GloveboxExam::judged = 1 if $made;
        return ( $known[0]{id} == $known[1]{id} ) == ( $op eq '==' );
    }
    if ( !$made ) {
        GloveboxExam::fault( "the program gave an object" . ( $known[0]{class} ne '' ? " of the class $known[0]{class}" : '' )
            . ( $op eq 'bool' ? ' that decides whether it is true' : ", and the tests use the operator $op on it" )
            . ': such a result proves nothing. Give a plain value, or let the tests make the object' );
    }
    $GloveboxExam::judged = 1 if $op ne 'bool' && $op ne '0+';
    my $assign = !defined $swapped && $text_code{$op} ? "$op=" : $op;
    my $v = asked( $assign, $left, $op eq 'neg' || $op eq 'bool' || $op eq '0+' ? () : $right );
    if ( $op eq 'bool' ) { return !!( ref $v ? 1 : $v ) }
    if ( $op eq '0+' ) { return Scalar::Util::looks_like_number($v) ? 0 + $v : GloveboxExam::fault("the program's object gives no number") }
    return make($v);
}

sub asked {
    my ( $op, @args ) = @_;
    my $m = call( 'operator', 0, [], $op, \@args );
    return scalar result( $m, 0 );
}

sub next_of {
    my ( $of, $want ) = @_;
    return result( call( 'operator', $want, [], '<>', [$of] ), $want );
}

# text is a handle's text: what its class says, where it says anything.
sub text {
    my ($v) = @_;
    my $known = of($v) // return "$v";
    return overload::StrVal($v) if !claims( $known, '""' );
    my $text = plainly( asked( q(""), $v ) );
    GloveboxExam::fault("the program's object gives no text") if ref $text || !defined $text;
    return $text;
}

package Glovebox::Endless;

# A number that is none, or without end, or a text that Perl takes for one; or one
# so large or small that arithmetic soon makes one of these. What is computed with
# it is Perl's own; the order of a number that is none is nobody's, nor that of one
# without end where the tests' text names none.
no warnings 'numeric';

our $named;

# far reports whether a number is far from those that the tests can mean.
sub far { my $v = abs( 0 + $_[0] ); return !( $v == 0 || $v > 1e-50 && $v < 1e50 ) }

sub made { my ($v) = @_; return far($v) ? bless \$v, __PACKAGE__ : $v }

sub raw { my ($v) = @_; return ref $v eq __PACKAGE__ ? 0 + $$v : $v }

my %compute = (
    ( map { my $op = $_; $op => eval "sub { \$_[0] $op \$_[1] }" } qw(+ - * / % ** <=> < <= > >= == !=) ),
    ( map { my $op = $_; $op => eval "sub { $op(\$_[0]) }" } qw(abs int sqrt sin cos exp log) ),
    'atan2' => sub { atan2 $_[0], $_[1] },
    'neg'   => sub { -$_[0] },
);

sub operate {
    my ( $op, $left, $right, $swapped ) = @_;
    ( $left, $right ) = map { raw($_) } $swapped ? ( $right, $left ) : ( $left, $right );
    GloveboxExam::fault("the program returned what is no number (NaN), and the tests ask whether it is smaller or larger ($op)")
        if $op =~ /[<>]/ && ( $left != $left || $right != $right );
    GloveboxExam::fault("what the program returned is, or makes, a number without end, and the tests ask whether it is smaller or larger ($op)")
        if $op =~ /[<>]/ && !$named && grep { $_ - $_ != 0 } $left, $right;
    my $v = $compute{$op}->( $left, $right );
    return $op =~ /[<>=]/ ? $v : made($v);
}

use overload ( map { my $op = $_; ( $op => sub { operate( $op, @_ ) } ) } qw(+ - * / % ** <=> < <= > >= == != abs int sqrt sin cos exp log atan2 neg) ),
    '""' => sub { "${ $_[0] }" }, '0+' => sub { 0 + ${ $_[0] } }, 'bool' => sub { !!${ $_[0] } }, fallback => 1;

package Glovebox::Remote;

# Objects of the program. It has no other sub than these: each would be a method.
use overload ( map { my $op = $_; ( $op => sub { GloveboxHarness::operator( $op, @_ ) } ) }
        qw(+ - * / % ** << >> & | ^ ~ <=> < <= > >= == != eq ne neg abs atan2 cos sin exp log sqrt int ~~) ), fallback => 1;
our $AUTOLOAD;

sub DESTROY { GloveboxHarness::gone( $_[0] ) }

sub isa {
    my ( $self, $class ) = @_;
    return GloveboxHarness::is_one( $self, $class );
}

sub DOES { my ( $self, $class ) = @_; return GloveboxHarness::is_one( $self, $class ) }

sub can {
    my ( $self, $name ) = @_;
    my $known = GloveboxHarness::of($self);
    my ($can) = GloveboxHarness::result( GloveboxHarness::call( 'method', 0, ["$name"], $known ? $self : "$self", 'can' ), 0 );
    return $can ? sub { my $o = shift; $o->$name(@_) } : undef;
}

sub VERSION { my $class = shift; return GloveboxHarness::method( $class, 'VERSION', wantarray, \@_ ) }
sub unimport { }

sub import {
    my ( $class, @args ) = @_;
    return GloveboxHarness::import_of( $class, scalar caller, @args );
}

sub AUTOLOAD {
    my $self = shift;
    ( my $name = $AUTOLOAD ) =~ s/.*:://;
    return GloveboxHarness::method( $self, $name, wantarray, \@_ );
}

package GloveboxHarness;

sub is_one {
    my ( $self, $class ) = @_;
    my $known = of($self);
    return 0 if !defined $class || $class =~ /\ATest(?:2|\b)/;    # no object of the program is one of the tests'
    my $of = $class{ $known ? $known->{class} : $self };
    return $of && $of->{isa}{$class} ? 1 : 0 if $of || !$known;
    return $known->{type} eq $class ? 1 : 0;
}

# method calls a method. What Class->new gives is made, where the tests' text
# spells that.
sub method {
    my ( $of, $name, $want, $args ) = @_;
    my $known = of($of);
    my ($sub) = map { $sub_id{ Scalar::Util::refaddr($_) } // () } grep { ref eq 'CODE' } @$args;
    my $before = defined $sub ? $served[$sub] // 0 : 0;
    my @out = result( call( 'method', $want, $args, $known ? $of : "$of", $name ), 1 );
    ($sub) = map { $sub_id{ Scalar::Util::refaddr($_) } // () } grep { ref eq 'CODE' } @$args;
    settle_size( $known->{id}, $name, $args, $out[-1], defined $sub ? ( $served[$sub] // 0 ) - $before : undef ) if $known;
    @out = map { make($_) } @out if $name eq 'new' && !$known && $made_class{$of};
    return $want ? @out : $out[-1];
}

# settle_size refuses an object that says how many elements it has and then goes
# through none: the assertions in the tests' subs would see nothing.
my %size;

sub settle_size {
    my ( $id, $name, $args, $gave, $steps ) = @_;
    my $sizes = $name =~ /\A(?:size|length|count|len)\z/ && !@$args;
    my $goes = defined $steps && ( $name =~ /\A(?:each|for_?each|iterate|walk)\z/ || $name =~ /\A(?:map|grep)\z/ && !of($gave) );
    if ( !$sizes && !$goes ) { %size = (); return }
    my $known = $size{$id} //= {};
    if    ($goes)                                                    { $known->{steps} = $steps }
    elsif ( defined $gave && !ref $gave && $gave =~ /\A\d{1,9}\z/ ) { $known->{size}  = $gave }
    GloveboxExam::fault("the program's object says that it has $known->{size} elements, and goes through none")
        if $known->{size} && defined $known->{steps} && !$known->{steps};
}

# sub_of stands for a sub of the program.
sub sub_of {
    my ( $name, $prototype ) = @_;
    my $made = $name =~ /\A(.+)::new\z/ && $made_class{$1};
    my $code = sub {
        my @out = result( call( 'sub', wantarray, \@_, $name ), 1 );
        @out = map { make($_) } @out if $made && !of( $_[0] );
        return wantarray ? @out : $out[-1];
    };
    &Scalar::Util::set_prototype( $code, $prototype ) if defined $prototype && !ref $prototype && $prototype =~ /\A[\$\@%&*\\;\[\]_+]{0,40}\z/;
    return $code;
}

# import_of gives the tests what a package of the program exports: what they ask
# for by name, and what else they use and nobody else defines. %given are the names
# that the program has given: what another module gave since the start stays that
# module's.
my ( %free, %given );

sub give { my ( $name, $sub ) = @_; no strict 'refs'; *$name = $given{$name} = $sub }

# given reports whether a sub of the tests' is one that the program gave.
sub given { my ($name) = @_; no strict 'refs'; return $given{$name} && defined &$name && \&$name == $given{$name} }

sub import_of {
    my ( $class, $into, @args ) = @_;
    my $m = do { local $wire->{quiet} = 1; ask( 'import', "$class", @args ) };
    if ( $m->[0] eq 'die' ) { die ref $m->[1] ? "importing $class failed\n" : $m->[1] }
    my ( $from, $names ) = @{ ref $m->[1] eq 'ARRAY' ? $m->[1] : [] };
    return if !defined $from || ref $from || ref $names ne 'HASH';
    my %asked = map { s/\A&//r => 1 } grep { defined && !ref } @args;
    for my $name ( keys %$names ) {
        next if $name !~ /\A[A-Za-z_]\w*\z/ || !$asked{$name} && !$free{$name};
        no strict 'refs';
        no warnings 'redefine', 'prototype';
        next if !$asked{$name} && defined &{"${into}::$name"} && !given("${into}::$name");
        give( "${into}::$name", sub_of( "${from}::$name", $names->{$name} ) );
    }
}

# ---- the content of objects

# fields is what an object holds, whole. It is asked for at most once between two
# calls, and no key is told.
my %fields;

sub fields {
    my ( $id, $type ) = @_;
    my $known = $fields{$id};
    if ( !$known || $known->[0] != $turn ) {
        my $v = result( ask( 'fields', by_id($id) ), 0 );
        GloveboxExam::fault("the program's object does not say what it holds") if ref $v ne $type;
        $known = $fields{$id} = [ $turn, $v ];
    }
    return $known->[1];
}

sub store {
    my ( $id, @what ) = @_;
    $turn++;
    result( ask( 'store', by_id($id), @what ), 0 );
}

package Glovebox::Fields::Hash;
sub TIEHASH { my ( $class, $id ) = @_; return bless { id => $id }, $class }
sub content  { GloveboxHarness::fields( $_[0]{id}, 'HASH' ) }
sub FETCH    { $_[0]->content->{ $_[1] } }
sub EXISTS   { exists $_[0]->content->{ $_[1] } }
sub SCALAR   { scalar %{ $_[0]->content } }
sub FIRSTKEY { my ($self) = @_; $self->{keys} = [ sort keys %{ $self->content } ]; return shift @{ $self->{keys} } }
sub NEXTKEY  { shift @{ $_[0]{keys} } }
sub STORE    { GloveboxHarness::store( $_[0]{id}, $_[1], $_[2] ) }
sub DELETE { my ( $self, $key ) = @_; my $old = $self->FETCH($key); GloveboxHarness::store( $self->{id}, $key ); return $old }
sub CLEAR { my ($self) = @_; $self->DELETE($_) for keys %{ $self->content } }

package Glovebox::Fields::Array;
sub TIEARRAY { my ( $class, $id ) = @_; return bless { id => $id }, $class }
sub content   { GloveboxHarness::fields( $_[0]{id}, 'ARRAY' ) }
sub FETCH     { $_[0]->content->[ $_[1] ] }
sub FETCHSIZE { scalar @{ $_[0]->content } }
sub EXISTS    { exists $_[0]->content->[ $_[1] ] }
sub STORE     { GloveboxHarness::store( $_[0]{id}, $_[1], $_[2] ) }
sub STORESIZE { GloveboxHarness::store( $_[0]{id}, $_[1] ) }
sub EXTEND    { }

package Glovebox::Fields::Scalar;
sub TIESCALAR { my ( $class, $id ) = @_; return bless { id => $id }, $class }
sub FETCH { ${ GloveboxHarness::fields( $_[0]{id}, 'SCALAR' ) } }
sub STORE { GloveboxHarness::store( $_[0]{id}, 0, $_[1] ) }

package GloveboxHarness;

# settle asks for what all objects within a value hold, before anything is
# compared, and reports whether a made one is among them.
sub settle {
    my ( $v, $seen, $depth ) = @_;
    return 0 if !ref $v || $depth > 200 || $seen->{ Scalar::Util::refaddr($v) }++;
    my $known = of($v);
    my $kind  = Scalar::Util::reftype($v);
    $v = fields( $known->{id}, $kind ) if $known && ( $kind eq 'HASH' || $kind eq 'ARRAY' );
    my $made = $known && $known->{made};
    $kind = Scalar::Util::reftype($v);
    no overloading;
    $made = settle( $_, $seen, $depth + 1 ) || $made for $kind eq 'HASH' ? values %$v : $kind eq 'ARRAY' ? @$v : $kind eq 'REF' && !$known ? $$v : ();
    return $made;
}

# deep has an assertion that looks into structures see only what was settled
# before. What is compared with an object that the tests made rests on the
# program's word.
sub deep {
    my ( $module, @names ) = @_;
    for my $name ( map {"${module}::$_"} @names ) {
        no strict 'refs';
        next if !defined &$name;
        my $old = \&$name;
        my $new = sub {
            settle( $_[0], {}, 0 );
            $GloveboxExam::judged = 1 if settle( $_[1], {}, 0 );
            goto &$old;
        };
        &Scalar::Util::set_prototype( $new, prototype $old );
        no warnings 'redefine';
        *$name = $new;
    }
}

# ---- the start

# The names of assertions that a library of ours may lack are nobody's to give.
my %assertion = map { $_ => 1 } qw(
    ok is isnt like unlike cmp_ok is_deeply pass fail diag note explain skip todo todo_skip plan done_testing subtest can_ok isa_ok new_ok use_ok
    require_ok BAIL_OUT eq_array eq_hash eq_set skip_all bail_out dies lives try_ok warns warning warnings no_warnings ref_ok ref_is mock
    throws_ok dies_ok lives_ok lives_and exception warning_is warnings_are warning_like warnings_like eq_or_diff deep_ok
    eq_deeply cmp_deeply cmp_bag cmp_set cmp_methods cmp_details deep_diag subbagof superbagof subhashof superhashof
    is_string is_string_nows like_string is_xml is_json stdout_is stderr_is output_is expect_that confess croak carp cluck
);

my @judges;
sub judged_by_text { $GloveboxExam::judged = 1 if grep { $_ eq '->' || given( /::/ ? $_ : "main::$_" ) } @judges }

sub asserts { $assertion{ $_[0] } || $_[0] =~ /\A(?:assert|refute|expect)(?:\z|_|[A-Z])/ }

sub import {
    my ( undef, $lists ) = @_;
    my ( $library, $made, $modules, $changes, $judges );
    ( $library, $made, $modules, $changes, $orders, $judges ) = splice @ARGV, 0, 6;
    $changes{$_} = 1 for split ' ', $changes;
    $^H |= 2;    # a text that the program gives is no sub's name
    my $file = $0;
    my $text = GloveboxExam::read_file($file);
    GloveboxExam::open_report();
    @INC = ( ( grep { !m{^/opt/glovebox/} } @INC ), '/opt/glovebox/perl/lib', 't/lib', 'lib', 't', '.' );
    $GloveboxExam::calls = $turn = 0;
    @made_class{ split ' ', $made } = (1) x 1000;
    $Glovebox::Endless::named = $text =~ /\b(?:nan|inf|infinity|is_?nan|is_?inf)\b|\b9\s*\*\*\s*9\s*\*\*/i;
    $methods{$_}++ for $text =~ /(?:\$\w+|[)\]}])\s*->\s*([A-Za-z_]\w*)/g;
    $wire = GloveboxWire->new( wrap => \&wrap, unwrap => \&unwrap, serve => \&serve, %methods || $orders ? ( look => \&look ) : () );
    my @modules = split ' ', $modules;
    GloveboxExam::needs( $text, @modules );
    GloveboxExam::begin( $file, $library );
    for my $module (@modules) {
        next if !GloveboxExam::installed($module) || $module !~ /\A(?:Test::(?:More|Deep|Most|Simple)|Test2::V0|Test2::Tools::Compare)\z/;
        eval "require $module" or next;
    }
    if ($library) { require Test::More }
    deep( 'Test::More', qw(is_deeply eq_array eq_hash eq_set) );
    deep( 'Test::Deep', qw(cmp_deeply eq_deeply cmp_bag cmp_set cmp_methods cmp_details) );
    deep( $_, qw(is isnt like unlike) ) for qw(Test2::V0 Test2::Tools::Compare);
    my %word;
    $word{$_}++ for $text =~ /([A-Za-z_]\w*(?:::\w+)*)/g;
    $wire->{quiet} = 1;
    my $m = ask( 'names', [ sort keys %word ], [ grep { !GloveboxExam::installed($_) } @modules ], $text =~ /__WARN__|\bwarn(?:ing|s)\w*\b/ ? 1 : 0 );
    $wire->{quiet} = $GloveboxExam::calls = 0;
    if ( $m->[0] eq 'die' ) { GloveboxExam::broken( "the program's module does not load: " . ( ref $m->[1] ? 'it died' : $m->[1] ) ) }
    my ( $subs, $packages ) = @{ ref $m->[1] eq 'ARRAY' ? $m->[1] : [] };
    GloveboxExam::broken("the program's process answers nothing of use") if ref $subs ne 'HASH' || ref $packages ne 'HASH';
    delete @$packages{ $text =~ /\bpackage\s+([A-Za-z_][\w:]*)/g };
    declare( \%word, $subs, $packages );
    # By the tests' text, the program judges what it gave before (JUDGES), by a sub
    # that nobody else has once the script is read.
    @judges = split ' ', $judges;
    eval q{ INIT { judged_by_text() } } if @judges;
    no warnings 'redefine', 'once';
    *CORE::GLOBAL::srand = sub (;$) { my $s = @_ ? CORE::srand( $_[0] ) : CORE::srand(); return $seed = $s };
}

# declare gives the tests the words that they use and only the program defines.
sub declare {
    my ( $word, $subs, $packages ) = @_;
    no strict 'refs';
    my @classes = grep { $word->{$_} && /\A[A-Za-z_]\w*(?:::\w+)*\z/ && ref $packages->{$_} eq 'ARRAY' && !%{"${_}::"} && !GloveboxExam::installed($_) } sort keys %$packages;
    learn( $_, @{ $packages->{$_} } ) for @classes;
    # What others have is decided before any package is made here.
    package_of($_) for sort { @{ $class{$a}{parents} } <=> @{ $class{$b}{parents} } } @classes;
    my %ours = map { $_ => 1 } @classes;
    $INC{ s{::}{/}gr . '.pm' } = "$_.pm" for @classes;
    for my $name ( grep { $word->{$_} } sort keys %$subs ) {
        if ( $name =~ /\A(.+)::\w+\z/ ) {
            give( $name, sub_of( $name, $subs->{$name} ) ) if $ours{$1};
        }
        elsif ( $name =~ /\A[A-Za-z_]\w*\z/ && !asserts($name) && !defined &{"main::$name"} && !defined &{"CORE::$name"} ) {
            give( "main::$name", sub_of( $name, $subs->{$name} ) );
        }
    }
    $free{$_} = 1 for grep { !asserts($_) && !defined &{"CORE::$_"} && !defined &{"main::$_"} } keys %$word;
}

1;
