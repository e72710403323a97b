package GloveboxExam;

# Counts what a test script says, and reports that. A script that uses Test2 or
# Test::More, which stands on it, has a case per assertion: we listen to its own
# events. Any other script is one case, which passes where it ends with status 0.
use strict;
use warnings;
use GloveboxWire ();

our ( $report, $name, $library, $calls, $judged, $token, $ran, $left, $look, @faults );
our ( $total, $passed, $failed ) = ( 0, 0, 0 );
my ( $pending, $died, $skipped, $ended, $pid, %compared );

sub open_report { open $report, '>&=', 5 or die "no report: $!" }

# event writes one; a value is a text, a reference of a number, a list or a hash.
sub event { syswrite $report, json( {@_} ) . "\n" }

sub json {
    my ($v) = @_;
    return '{' . join( ',', map { GloveboxWire::text($_) . ':' . json( $v->{$_} ) } sort keys %$v ) . '}' if ref $v eq 'HASH';
    return '[' . join( ',', map { json($_) } @$v ) . ']' if ref $v eq 'ARRAY';
    return $$v if ref $v;    # a number
    return GloveboxWire::text($v);
}

# broken reports that the tests cannot be completed, and ends the process.
sub broken {
    my ($reason) = @_;
    chomp $reason;
    flush();
    event( type => 'broken', reason => GloveboxWire::bounded($reason) );
    kill 9, $$;
}

# unrunnable reports that the tests cannot run here, whatever the program is.
sub unrunnable {
    my ( $reason, @missing ) = @_;
    event( type => 'unrunnable', reason => GloveboxWire::bounded($reason), @missing ? ( missing => \@missing ) : (), $token ? ( nonce => $token ) : () );
    kill 9, $$;
}

# fault makes the case that is running fail, even where the tests go on.
sub fault {
    my ($message) = @_;
    push @faults, $message;
    die "$message\n";
}

sub read_file {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

# installed reports whether a module is Perl's, a library's or the tests' own. A
# file of three bytes is what stands for the program beside its tests.
sub installed {
    my ($module) = @_;
    ( my $file = "$module.pm" ) =~ s{::}{/}g;
    return exists $INC{$file} || grep { !ref && ( -s "$_/$file" // 3 ) != 3 } @INC;
}

# elsewhere matches modules that are libraries of CPAN: no program is expected to
# be one of them, and tests that load one that is not here cannot run.
my $elsewhere = qr/\A(?:Test2?::.+|Test|(?:Struct|Data|Hash|Array|List|String|Deep)::(?:Diff|Compare|Comparator|Difflet|DeepCompare|Equal|Match)\b.*|Array::Utils|Data::Structure::.+|Number::(?:Tolerant|Compare)|Data::(?:Compare|Printer|Dump|Random|Faker|UUID|GUID|Section)\b.*|Moose\b.*|Mouse\b.*|Moo(?:X\b.*)?|Role::Tiny\b.*|Type::.+|Types::.+|Class::(?:Accessor|XSAccessor|Struct::.+|Method::.+)\b.*
    |Try::Tiny|TryCatch|Capture::Tiny|Path::(?:Tiny|Class)|File::(?:Slurp\b.*|Slurper|Which|HomeDir|Find::Rule|chdir|pushd)|List::(?:MoreUtils\b.*|AllUtils|UtilsBy|SomeUtils)|DateTime\b.*|Date::(?:Calc|Manip|Parse)|JSON(?:::XS|::MaybeXS|::Any)?|Cpanel::.+
    |YAML\b.*|XML::.+|HTML::.+|LWP\b.*|HTTP::(?:Request|Response|Message|Headers|Cookies|Server)\b.*|URI\b.*|Mojo(?:licious)?\b.*|Dancer2?\b.*|Catalyst\b.*|Plack\b.*|DBI|DBD::.+|DBIx::.+|SQL::.+|Text::(?:CSV|Template|Diff|Xslate)\b.*|Spreadsheet::.+|Excel::.+
    |Clone\b.*|Readonly|Const::Fast|namespace::.+|experimental::.+|Function::Parameters|Exporter::(?:Tiny|Lite)|Sub::(?:Exporter|Identify|Override|Name|Install|Quote)\b.*|Package::Stash|Devel::(?:Cover|Leak|Cycle|Symdump)|Params::.+|Getopt::Long::Descriptive|Log::.+|Math::(?:Prime::.+|Round|GMP.*|Matrix.*)|Set::(?:Scalar|Object)|Graph\b.*|Algorithm::(?:Combinatorics|Permute|Diff)|Unicode::GCString|Regexp::Common\b.*|IO::(?:Capture|String|All|Prompt)\b.*|Net::SSH.*|Parallel::.+|AnyEvent\b.*|IPC::(?:Run|System::Simple)|Tie::IxHash|Hash::(?:Merge|Ordered)|PPI\b.*|Modern::Perl|common::sense|autobox\b.*|Syntax::.+|Object::(?:Pad|Tiny)|Perl6?::.+)\z/x;

# needs says what the tests need that is not here, whatever the program is.
sub needs {
    my ( $tests, @modules ) = @_;
    my @missing = grep { $_ =~ $elsewhere && !installed($_) } @modules;
    my %ours = map { $_ => 1 } $tests =~ /^\s*package\s+([\w:]+)/mg;
    @missing = grep { !$ours{$_} } @missing;
    if ( grep { $_ eq 'Test::Deep' } @modules and -e '/opt/glovebox/perl/lib/Test/Deep.pm' && !-d '/opt/glovebox/perl/lib/Test/Deep' ) {
        my @lacks = grep { $tests =~ /\b$_\b/ } qw(cmp_details deep_diag listmethods arraylength arraylengthonly arrayelementsonly hashkeys hashkeysonly obj_isa subsetof supersetof noneof);
        unrunnable( 'the tests need ' . join( ', ', @lacks ) . ' of Test::Deep, which is not here', 'Test::Deep' ) if @lacks;
    }
    unrunnable( 'the tests need ' . join( ', ', @missing ) . ', which ' . ( @missing > 1 ? 'are' : 'is' ) . ' not here', @missing ) if @missing;
}

# begin listens to the tests of the file. library is 1 where any of the files
# speaks of Perl's test libraries, and 2 where of one that counts tests.
sub begin {
    ( $name, $library ) = @_;
    $pid = $$;
    $SIG{__DIE__} = sub { $died = $_[0] if !$^S };
    return if !$library;
    require Test2::API;
    require Test::Builder;
    Test2::API::test2_stack()->top->listen( \&hear );
    no warnings 'redefine';
    my $is = \&Test::Builder::_is_diag;
    *Test::Builder::_is_diag = sub {
        my ( $self, $got, $type, $expected ) = @_;
        %compared = ( actual => plain_text($got), expected => plain_text($expected) );
        return $self->$is( $got, $type, $expected );
    };
}

# watch has an exit of the tests told apart from one of the program, which shares
# their process, and sees that the program changes no sub that they rely on.
sub watch {
    {
        no warnings qw(once redefine);
        *CORE::GLOBAL::exit = sub (;$) {
            my $code = $_[0] // 0;
            my ( undef, $from ) = caller;
            if ( $from eq $name ) { $ran = 1; $left = $code }
            CORE::exit($code);
        };
    }
    no strict 'refs';
    my @packages = grep { /\ATest(?:2|\b)/ } map { s{/}{::}gr =~ s/\.pm\z//r } keys %INC;
    my @watched = map { my $p = $_; map {"${p}::$_"} grep { !/::\z/ && defined &{"${p}::$_"} } keys %{"${p}::"} } @packages, qw(GloveboxExam GloveboxWire CORE::GLOBAL);
    my %before = map { $_ => \&{$_} } @watched;
    return sub {
        for my $sub (@watched) { broken("the program changes $sub, which the tests rely on") if \&{$sub} != $before{$sub} }
    };
}

sub plain_text { my ($v) = @_; return ref $v ? 'an object' : $v }

# hear takes an event of Test2.
sub hear {
    my ( undef, $event ) = @_;
    return if $$ != $pid;
    my $facets = $event->facet_data;
    if ( my $assert = $facets->{assert} ) {
        flush();
        my @amnesty = map { $_->{tag} // '' } @{ $facets->{amnesty} || [] };
        my $status =
              grep( { $_ eq 'SKIP' } @amnesty ) ? 'skipped'
            : $assert->{pass}                   ? 'passed'
            : grep( { $_ eq 'TODO' } @amnesty ) ? 'skipped'
            :                                     'failed';
        my $line = $facets->{trace} && $facets->{trace}{frame} ? $facets->{trace}{frame}[2] : undef;
        $pending = { name => $assert->{details} // "$name " . ( $total + 1 ), status => $status, message => '', defined $line ? ( line => \( 0 + $line ) ) : () };
        if (@faults) { @$pending{qw(status message)} = ( 'failed', join "\n", splice @faults ) }
        flush() if $pending->{status} ne 'failed';
    }
    elsif ( $pending && $facets->{info} ) {
        $pending->{message} .= join '', map { ( $_->{details} // '' ) . "\n" } grep { ( $_->{tag} // '' ) eq 'DIAG' } @{ $facets->{info} };
    }
    $skipped = $facets->{plan}{details} // '' if $facets->{plan} && $facets->{plan}{skip};
}

# flush reports the assertion that may have had more to say.
sub flush {
    my $case = $pending // return;
    undef $pending;
    my %more = $case->{status} eq 'failed' ? %compared : ();
    %compared = ();
    $more{$_} = GloveboxWire::bounded( $more{$_} ) for keys %more;
    $case->{message} = GloveboxWire::bounded( $case->{message} );
    delete $case->{message} if $case->{message} eq '';
    case( %$case, %more );
}

sub case {
    my (%case) = @_;
    $total++;
    $passed++ if $case{status} eq 'passed';
    $failed++ if $case{status} eq 'failed' || $case{status} eq 'error';
    $case{proof} = 'candidate_judged' if $judged && $case{status} eq 'passed';
    $case{name} = "$case{name}";
    event( type => 'case', case => \%case );
}

# unparsed reports tests that do not parse, whatever the program is. How a text is
# read may depend on the program's subs: what counts is what no sub can mend, or
# what is wrong without subs, and with all of them in each of two forms.
sub unparsed {
    return if $calls;
    my @said = map { parsed($_) } '', '=-', '=&@';
    my ($first) = $said[0] =~ /^((?:Missing right|Unmatched right|Can't find string terminator|(?:Search pattern|Substitution \w+|Transliteration \w+) not terminated).*)/m;
    my $wrong = qr/^((?:syntax error|Global symbol) .*)/m;
    ($first) = $said[0] =~ $wrong if !defined $first && 3 == grep { $_ =~ $wrong } @said;
    unrunnable("the tests do not parse: $first") if defined $first;
}

# parsed is what perl says of the tests without the program.
sub parsed {
    my ($way) = @_;
    local $?;
    my $child = open( my $from, '-|' ) // return '';
    if ( !$child ) {
        open STDERR, '>&', \*STDOUT;
        exec $^X, '-I/opt/glovebox/perl', "-MGloveboxParse$way", '-c', $name or kill 9, $$;
    }
    my $said = join '', <$from>;
    close $from;
    return $said;
}

# message is what the script died of.
sub message {
    return if !defined $died;
    return GloveboxWire::bounded( ref $died ? 'died with an object of the class ' . ref $died : $died );
}

# finish reports the end of the script. code is its exit status.
sub finish {
    my ($code) = @_;
    return if $$ != ( $pid // 0 ) || $ended++;
    local $SIG{__DIE__};
    flush();
    $code = $left if defined $left;
    $look->() if $look;
    broken("the program ended the process of the tests") if defined $token && !$code && $library < 2 && !$ran;
    my @why = map { defined $_ ? ( message => $_ ) : () } message();
    unparsed() if $code && !$total && defined $died && !ref $died && $died =~ /had compilation errors|aborted due to compilation/;
    if (@faults) { case( name => $name, status => 'failed', message => GloveboxWire::bounded( join "\n", @faults ) ) }
    elsif ( $code && !$failed ) {
        my %last = %Glovebox::last_difference;
        push @why, expected => GloveboxWire::bounded( $last{expected} ), actual => GloveboxWire::bounded( $last{got} ), line => \( 0 + $last{line} ) if %last && !@why;
        my $planned = $total && !@why ? "the tests ended with status $code: they ran $total tests, which is not what they planned" : "exit status $code";
        case( name => $name, status => @why && defined $died ? 'error' : 'failed', message => $planned, @why );
    }
    elsif ( !$total && defined $skipped ) { case( name => $name, status => 'skipped', message => GloveboxWire::bounded($skipped) ) }
    elsif ( !$total && $library < 2 ) { case( name => $name, status => 'passed' ) }
    broken('no test ran') if !$total;
    broken('the tests never called the program') if defined $calls && !$calls && !defined $skipped;
    event( type => 'done', total => \$total, passed => \$passed, failed => \$failed, framework => framework(), $token ? ( nonce => $token ) : () );
}

# framework names the library that ran the tests.
sub framework {
    for my $module (qw(Test2::V0 Test::Most Test::Exception Test::Deep Test::More)) {
        ( my $file = "$module.pm" ) =~ s{::}{/}g;
        no strict 'refs';
        my $version = ${"${module}::VERSION"};
        return "$module $version" if $INC{$file} && defined $version && ( $INC{$file} // '' ) !~ m{^/opt/glovebox/perl/lib/Test/Deep};
    }
    return '';
}

END { my $code = $?; finish($code); $? = $failed ? 1 : $code }

# scripts runs several scripts one after another, each in a perl of its own, and
# adds up what they report. command makes the command of one.
sub scripts {
    my ( $command, $secret, @names ) = @_;
    open_report();
    my ( %sum, %framework );
    for my $script (@names) {
        pipe my $from, my $to or die "no pipe: $!";
        my $child = fork // die "no process: $!";
        if ( !$child ) {
            close $from;
            POSIX::dup2( fileno $to, 5 );
            local $^F = 100;    # the token stays open in the next program
            if ( defined $secret ) {
                pipe our $in, my $out;
                syswrite $out, "$secret\n";
                close $out;
                POSIX::dup2( fileno $in, 3 );
            }
            exec $command->($script) or POSIX::_exit(127);
        }
        close $to;
        my $done;
        while ( defined( my $line = <$from> ) ) {
            if ( $line =~ /"type":"done"/ && ( !defined $secret || index( $line, qq("nonce":"$secret") ) > 0 ) ) {
                $done = 1;
                $sum{$1} += $2 while $line =~ /"(total|passed|failed)":(\d+)/g;
                $framework{$1}++ if $line =~ /"framework":"([^"]+)"/;
            }
            else { syswrite $report, $line }
        }
        waitpid $child, 0;
        exit 1 if !$done;
    }
    event( type => 'done', ( map { $_ => \( 0 + ( $sum{$_} // 0 ) ) } qw(total passed failed) ), framework => join( ', ', sort keys %framework ), defined $secret ? ( nonce => $secret ) : () );
    exit( $sum{failed} ? 1 : 0 );
}

# show writes data for people.
sub GloveboxWire::show {
    my ( $v, $depth ) = @_;
    $depth //= 0;
    return 'undef' if !defined $v;
    return '...' if $depth > 20;
    my $kind = ref $v;
    return $kind eq 'ARRAY' ? '[' . join( ', ', map { GloveboxWire::show( $_, $depth + 1 ) } @$v ) . ']'
        : $kind eq 'HASH' ? '{' . join( ', ', map { "$_ => " . GloveboxWire::show( $v->{$_}, $depth + 1 ) } sort keys %$v ) . '}'
        : $kind eq 'SCALAR' || $kind eq 'REF' ? '\\' . GloveboxWire::show( $$v, $depth + 1 )
        : $kind ? "an object of the class $kind" : GloveboxWire::plain($v);
}

1;
