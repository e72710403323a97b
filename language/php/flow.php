<?php
// Where the values of a test file come from and go to, by its text: what a call of
// the program may have changed, and what an object that the tests made is compared
// with.

declare(strict_types=1);

namespace Glovebox;

final class Flow
{
    /** Functions of PHP that call what they are given by a name, or look into objects. */
    private const CALLS = '/^(?:array_(?:map|reduce|walk\w*)|call_user_func\w*|iterator_\w+|unserialize|spl_\w+|get_object_vars|func_get_args?)$/';
    private const SCALAR = ['-', '*', '/', '%', '.', '!', '<', '>', \T_POW, \T_INT_CAST, \T_DOUBLE_CAST, \T_STRING_CAST, \T_BOOL_CAST, \T_ISSET, \T_EMPTY, \T_INSTANCEOF,
        \T_IS_EQUAL, \T_IS_NOT_EQUAL, \T_IS_IDENTICAL, \T_IS_NOT_IDENTICAL, \T_IS_SMALLER_OR_EQUAL, \T_IS_GREATER_OR_EQUAL, \T_BOOLEAN_AND, \T_BOOLEAN_OR, \T_SPACESHIP];
    private const ASSIGNS = ['=', \T_PLUS_EQUAL, \T_MINUS_EQUAL, \T_MUL_EQUAL, \T_DIV_EQUAL, \T_CONCAT_EQUAL, \T_MOD_EQUAL, \T_POW_EQUAL, \T_COALESCE_EQUAL, \T_OR_EQUAL, \T_AND_EQUAL, \T_XOR_EQUAL];

    /**
     * What is assigned, by the function and the name of the variable: place of the
     * variable, first and last place of the value, and whether it is an element of it.
     * A value without a place is one that the text does not tell.
     *
     * @var array<string, array<string, list<array{int, int, int, string}>>>
     */
    private array $assigned = [];
    /** @var list<array{int, int, int, int, int}>|null the file's comparisons */
    private ?array $compared = null;
    /** @var array<string, mixed> what was found out before */
    private array $known = [];
    /** @var array<string, bool> what is being looked at */
    private array $open = [];

    public function __construct(private Operands $text)
    {
        foreach ($text->code as $n => $_) {
            $token = $text->at($n);
            if ($token->is(self::ASSIGNS)) {
                $this->assignment($n);
            } elseif ($token->is(\T_FOREACH)) {
                $this->loop($n);
            } elseif ($token->is([\T_FUNCTION, \T_FN])) {
                $this->parameters($n);
            } elseif ($token->is([\T_CATCH, \T_GLOBAL, \T_STATIC])) {
                for ($at = $n + 1; isset($text->code[$at]) && !$text->at($at)->is([';', '{', \T_FUNCTION, \T_FN, '=']); $at++) {
                    if ($text->at($at)->is(\T_VARIABLE)) {
                        $this->note($at, $at, -1, -1, 'unknown');
                    }
                }
            }
        }
        $this->known = []; // what was asked before all was read
    }

    private function note(int $place, int $variable, int $from, int $to, string $how): void
    {
        $this->assigned[$this->text->in($place)[0]][$this->text->at($variable)->text][] = [$place, $from, $to, $how];
    }

    /** The last place of a value that begins at a place. */
    private function end(int $from): int
    {
        for ($at = $from; isset($this->text->code[$at]) && !$this->text->at($at)->is([';', ',', ')', ']', '}', \T_CLOSE_TAG]); $at++) {
            if ($this->text->opens($at)) {
                $at = $this->text->pair[$at];
            }
        }
        return $at - 1;
    }

    private function assignment(int $n): void
    {
        $text = $this->text;
        [$from, $to] = [$n + 1, $this->end($n + 1)];
        $at = $n - 1;
        if ($text->at($at)->is(']') && !$text->at(($text->pair[$at] ?? 0) - 1)->is([\T_VARIABLE, \T_STRING, ']', ')']) || $text->at($at)->is(')')) {
            // A list of variables.
            for ($v = $text->pair[$at] ?? $n; $v < $n; $v++) {
                if ($text->at($v)->is(\T_VARIABLE)) {
                    $this->note($v, $v, $from, $to, 'of');
                }
            }
            return;
        }
        $how = $text->at($n)->is(['=', \T_COALESCE_EQUAL]) ? 'is' : 'more';
        while ($text->at($at)->is(']')) {
            [$at, $how] = [($text->pair[$at] ?? 0) - 1, 'more'];
        }
        if ($text->at($at)->is(\T_VARIABLE) && !$text->at($at - 1)->is(Operands::MEMBER)) {
            $this->note($at, $at, $from, $to, $how);
        } elseif ($text->at($at - 1)->is(\T_OBJECT_OPERATOR) && $text->at($at - 2)->text === '$this') {
            $this->assigned[''][$text->at($at)->text . ' of this'][] = [$at, $from, $to, $how];
        }
    }

    private function loop(int $n): void
    {
        $text = $this->text;
        if (!$text->opens($n + 1)) {
            return;
        }
        $end = $text->pair[$n + 1];
        for ($as = $n + 2; $as < $end && !$text->at($as)->is(\T_AS); $as++) {
            $as = $text->opens($as) ? $text->pair[$as] : $as;
        }
        for ($at = $as + 1; $at < $end; $at++) {
            if ($text->at($at)->is(\T_VARIABLE)) {
                $this->note($at, $at, $n + 2, $as - 1, $text->at($at + 1)->is(\T_DOUBLE_ARROW) && $at === $as + 1 ? 'key' : 'of');
            }
        }
    }

    /** Parameters: what calls of the file give them, or what their type says. */
    private function parameters(int $n): void
    {
        $text = $this->text;
        for ($open = $n + 1; isset($text->code[$open]) && !$text->at($open)->is(['(', ';']); $open++);
        if (!$text->opens($open)) {
            return;
        }
        $named = $text->at($open - 1)->is(\T_STRING);
        $name = $named ? \strtolower($text->at($open - 1)->text) : '';
        for ($body = $text->pair[$open]; isset($text->code[$body]) && !$text->at($body)->is(['{', ';', \T_DOUBLE_ARROW]); $body++);
        foreach ($text->arguments($open) as $position => [$from, $to]) {
            for ($at = $from; $at <= $to && !$text->at($at)->is(\T_VARIABLE); $at++);
            if ($at > $to) {
                continue;
            }
            $inside = $named ? $body + 1 : $n;
            if ($at > $from && $text->at($at - 1)->is(\T_STRING) && \preg_match('/^(?:int|float|string|bool)$/i', $text->at($at - 1)->text)) {
                $this->assigned[$text->in($inside)[0]][$text->at($at)->text][] = [$at, -1, -1, 'plain'];
                continue;
            }
            $calls = [];
            foreach ($named ? $text->code : [] as $c => $_) {
                if ($text->at($c)->is(\T_STRING) && \strtolower($text->at($c)->text) === $name && $text->opens($c + 1) && $text->at($c + 1)->text === '(' && !$text->at($c - 1)->is([\T_FUNCTION, '&'])) {
                    $calls[] = $text->arguments($c + 1)[$position] ?? [-1, -1];
                }
            }
            $how = $calls !== [] ? 'is' : ($named && \str_starts_with($name, 'test') && !$this->provides() ? 'plain' : 'unknown');
            foreach ($calls === [] ? [[-1, -1]] : $calls as [$a, $b]) {
                $this->assigned[$text->in($inside)[0]][$text->at($at)->text][] = [$at, $a, $b, $a < 0 && $how === 'is' ? 'unknown' : $how];
            }
        }
    }

    /** Whether a function of the file beside its tests, maybe a provider, may give objects of the program. */
    private function provides(): bool
    {
        foreach ($this->text->functions() as [$name, $from, $to]) {
            for ($at = $from; $at < $to && !\str_starts_with($name, 'test') && $name !== 'setup'; $at++) {
                if ($this->constructs($at) || $this->asks($at)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether an object of a class of the program is made at a place. */
    private function constructs(int $at): bool
    {
        $text = $this->text;
        if ($text->at($at)->is(\T_NEW)) {
            return !$this->isOwn($text->at($at + 1));
        }
        return $text->at($at)->is(\T_DOUBLE_COLON) && $text->opens($at + 2) && $text->at($at + 2)->text === '(' && !$this->isOwn($text->at($at - 1));
    }

    /** Whether a class is PHP's, the framework's or the file's. */
    private function isOwn(\PhpToken $class): bool
    {
        if ($class->is(\T_CLASS)) {
            return true;
        }
        if (!$class->is(Operands::NAME)) {
            return !$class->is(\T_VARIABLE);
        }
        $name = \ltrim($class->text, '\\');
        return $this->known["own $name"] ??= $this->isOwnName($name);
    }

    private function isOwnName(string $name): bool
    {
        if (\preg_match('/^(?:self|static|parent|phpunit\\\\.*|assert)$/i', $name) || \class_exists($name, false) && (new \ReflectionClass($name))->isInternal()) {
            return true;
        }
        foreach ($this->text->code as $n => $_) {
            if ($this->text->at($n)->is([\T_CLASS, \T_ENUM]) && \strtolower($this->text->at($n + 1)->text) === \strtolower($name)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a place is the name in a call of the program. */
    private function asks(int $at): bool
    {
        return $this->known["asks $at"] ??= $this->isAsking($at);
    }

    private function isAsking(int $at): bool
    {
        $text = $this->text;
        if ($this->constructs($at)) {
            return true;
        }
        if (!$text->opens($at + 1) || $text->at($at + 1)->text !== '(' || $text->inText[$at]) {
            return false;
        }
        if ($text->at($at - 1)->is([\T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR])) {
            return $text->at($at - 2)->text !== '$this';
        }
        return $this->isFunction($at) || $text->at($at)->is(\T_VARIABLE) && !$text->at($at - 1)->is(\T_DOUBLE_COLON) && !$this->isClosure($at);
    }

    /** Whether a variable holds a function of the tests. */
    private function isClosure(int $at): bool
    {
        foreach ($this->assigned[$this->text->in($at)[0]][$this->text->at($at)->text] ?? [] as [, $from]) {
            if ($from >= 0 && ($this->text->at($from)->is([\T_FUNCTION, \T_FN]) || $this->text->at($from)->is(\T_STATIC) && $this->text->at($from + 1)->is([\T_FUNCTION, \T_FN]))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a place is the name of a function of the program that is called. */
    private function isFunction(int $at): bool
    {
        $text = $this->text;
        return $text->at($at)->is(Operands::NAME) && $text->opens($at + 1) && $text->at($at + 1)->text === '(' && !$text->inText[$at]
            && !$text->at($at - 1)->is([...Operands::MEMBER, \T_NEW, \T_FUNCTION, \T_FN, '&']) && $text->isAsked($text->at($at)->text)
            && !\preg_match('/^\\\\?assert/i', $text->at($at)->text);
    }

    /** PHP's own function that is called at a place, or null. */
    private function internal(int $at): ?\ReflectionFunction
    {
        $text = $this->text;
        $name = \strtolower(\ltrim($text->at($at)->text, '\\'));
        return $text->at($at)->is(Operands::NAME) && $text->opens($at + 1) && $text->at($at + 1)->text === '(' && !$text->at($at - 1)->is([...Operands::MEMBER, \T_NEW, \T_FUNCTION])
            && !isset($text->own[$name]) && \function_exists($name) && (new \ReflectionFunction($name))->isInternal() ? new \ReflectionFunction($name) : null;
    }

    /** Whether a value is surely no object of the program and holds none. */
    private function isPlain(int $from, int $to): bool
    {
        $text = $this->text;
        while ($text->opens($from) && $text->pair[$from] === $to && $text->at($from)->text === '(') {
            [$from, $to] = [$from + 1, $to - 1];
        }
        $chooses = $scalar = false;
        for ($at = $from; $at <= $to; $at++) {
            $chooses = $chooses || $text->at($at)->is(['?', \T_COALESCE, \T_MATCH, \T_FN, \T_FUNCTION]);
            $scalar = $scalar || $text->at($at)->is(self::SCALAR);
            $at = $text->opens($at) ? $text->pair[$at] : $at;
        }
        if ($scalar && !$chooses) {
            return true;
        }
        for ($at = $from; $at <= $to; $at++) {
            $token = $text->at($at);
            if ($token->is([\T_FN, \T_FUNCTION, \T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR, \T_YIELD, \T_CLONE, \T_OBJECT_CAST]) || $this->asks($at)) {
                return false;
            }
            if ($token->is(\T_VARIABLE) && !$this->isPlainVariable($at)) {
                return false;
            }
            if ($token->is(Operands::NAME) && $text->opens($at + 1) && $text->at($at + 1)->text === '(' && !$text->at($at - 1)->is(\T_NEW)) {
                $function = $this->internal($at);
                if ($function === null || \preg_match(self::CALLS, $function->getName())) {
                    return false;
                }
                $type = $function->getReturnType();
                $types = $type instanceof \ReflectionUnionType ? $type->getTypes() : ($type === null ? [] : [$type]);
                if ($types !== [] && !\array_filter($types, fn ($t) => !\in_array($t->getName(), ['int', 'float', 'string', 'bool', 'false', 'true', 'null'], true))) {
                    $at = $text->pair[$at + 1];
                }
            }
        }
        return $from <= $to;
    }

    private function isPlainVariable(int $at): bool
    {
        [$scope] = $this->text->in($at);
        $name = $this->text->at($at)->text;
        if (isset($this->open["p $scope $name"])) {
            return true;
        }
        $all = $this->assigned[$scope][$name] ?? [];
        $this->open["p $scope $name"] = true;
        $plain = $all !== [];
        foreach ($all as [, $from, $to, $how]) {
            $plain = $plain && $how !== 'unknown' && ($from < 0 || $how === 'key' || $this->isPlain($from, $to));
        }
        unset($this->open["p $scope $name"]);
        return $plain;
    }

    /** Whether a value is by its text an object that the tests made, or a list with one. */
    private function isMade(int $from, int $to): bool
    {
        $text = $this->text;
        if ($text->opens($from) && $text->pair[$from] === $to) {
            foreach ($text->at($from)->is(['[', '(']) ? $text->arguments($from) : [] as [$a, $b]) {
                for ($at = $b; $at > $a && !$text->at($at)->is(\T_DOUBLE_ARROW); $at--);
                if ($this->isMade($at > $a ? $at + 1 : $a, $b)) {
                    return true;
                }
            }
            return false;
        }
        if ($this->constructs($from) || $from < $to && $this->constructs($from + 1)) {
            for ($at = $from + 2; $at <= $to && !$text->at($at)->is([\T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR]); $at++) {
                $at = $text->opens($at) ? $text->pair[$at] : $at;
            }
            return $at > $to;
        }
        $this_ = $to === $from + 2 && $text->at($from)->text === '$this';
        if (!$this_ && ($from !== $to || !$text->at($from)->is(\T_VARIABLE))) {
            return false;
        }
        $scope = $this_ ? '' : $text->in($from)[0];
        $name = $this_ ? $text->at($to)->text . ' of this' : $text->at($from)->text;
        if (isset($this->open["m $scope $name"])) {
            return false;
        }
        $this->open["m $scope $name"] = true;
        $made = false;
        foreach ($this->assigned[$scope][$name] ?? [] as [, $a, $b, $how]) {
            $made = $made || $a >= 0 && $how !== 'key' && $this->isMade($a, $b);
        }
        unset($this->open["m $scope $name"]);
        return $made;
    }

    /**
     * The functions of the file in which the text lets the program judge: by comparing
     * an object that the tests made with what the program gives, or what a call may
     * have changed with what it gave.
     *
     * @return array<string, bool>
     */
    public function told(): array
    {
        $text = $this->text;
        $found = [];
        $makes = false;
        foreach ($text->code as $n => $_) {
            $makes = $makes || $this->constructs($n);
        }
        foreach ($makes ? $text->code : [] as $n => $_) {
            if ($text->at($n)->is([\T_SWITCH, \T_MATCH]) && $text->opens($n + 1)) {
                [$from, $to] = [$n + 2, $text->pair[$n + 1] - 1];
                $judges = !$this->isPlain($from, $to) && \strtolower($text->at($from)->text) !== 'true';
            } elseif ($text->at($n)->is(Operands::NAME) && \preg_match('/^\\\\?(?:spl_object_\w+|SplObjectStorage|WeakMap)$/i', $text->at($n)->text)) {
                $judges = true;
            } elseif ($this->internal($n) !== null && \preg_match('/^\\\\?(?:in_array|array_(?:search|keys|unique|u?(?:diff|intersect)\w*))$/i', $text->at($n)->text)) {
                $arguments = $text->arguments($n + 1);
                if (\preg_match('/keys$/i', $text->at($n)->text)) {
                    $arguments = \array_slice($arguments, 1, 1);
                }
                $judges = $arguments !== [] && !$this->isPlain(...$arguments[0]) && !(isset($arguments[1]) && $this->isPlain(...$arguments[1]));
            } else {
                continue;
            }
            if ($judges) {
                $found[$text->in($n)[0]] = true;
            }
        }
        foreach ($makes ? $text->comparisons(Operands::EQUAL, true) : [] as [$n, $first, $last, $from, $to]) {
            if (!$this->isPlain($first, $last) && !$this->isPlain($from, $to)) {
                $found[$text->in($n)[0]] = true;
            }
        }
        foreach ($makes ? $text->equals() : [] as [$first, $last, $from, $to]) {
            if ($this->isMade($first, $last) && !$this->isPlain($from, $to) || $this->isMade($from, $to) && !$this->isPlain($first, $last)) {
                $found[$text->in($first)[0]] = true;
            }
        }
        foreach ($this->verdicts() as $place) {
            $found[$text->in($place)[0]] = true;
        }
        foreach ($this->changed() as [$place, , $lent]) {
            if (!$lent) {
                $found[$text->in($place)[0]] = true;
            }
        }
        return $found;
    }

    /**
     * Where the tests take for the truth what a call of the program says of what the
     * program gave.
     *
     * @return list<int>
     */
    private function verdicts(): array
    {
        $text = $this->text;
        $found = $parts = [];
        foreach ($text->code as $n => $_) {
            if ($text->inText[$n]) {
                continue;
            }
            if ($text->at($n)->is('!')) {
                $parts[] = [$n + 1, $this->end($n + 1)];
            } elseif ($text->opens($n + 1) && $text->at($n + 1)->text === '(') {
                $asserts = $text->at($n)->is(Operands::NAME) && \preg_match('/^\\\\?assert(?:_?(?:not_?)?(?:true|false))?$/i', $text->at($n)->text);
                if ($asserts || $text->at($n)->is([\T_IF, \T_ELSEIF, \T_WHILE])) {
                    $parts[] = $asserts ? $text->arguments($n + 1)[0] ?? [$n + 2, $n + 1] : [$n + 2, $text->pair[$n + 1] - 1];
                }
            } elseif ($text->at($n)->is('?')) {
                for ($at = $n - 1; $at >= 0 && !$text->at($at)->is([';', ',', '(', '[', '{', '}', '=', ':', \T_RETURN, \T_ECHO, \T_PRINT, \T_OPEN_TAG, \T_DOUBLE_ARROW]); $at--) {
                    $at = isset($text->pair[$at]) && $text->pair[$at] < $at ? $text->pair[$at] : $at;
                }
                $parts[] = [$at + 1, $n - 1];
            }
        }
        foreach ($text->equals() as [$first, $last, $from, $to]) {
            foreach ([[$first, $last, $from, $to], [$from, $to, $first, $last]] as [$a, $b, $c, $d]) {
                if ($a === $b && \preg_match('/^(?:true|false)$/i', $text->at($a)->text)) {
                    $parts[] = [$c, $d];
                }
            }
        }
        foreach ($parts as [$from, $to]) {
            foreach ($this->parts($from, $to) as [$a, $b]) {
                if ($this->isVerdict($a, $b)) {
                    $found[] = $a;
                }
            }
        }
        return $found;
    }

    private function isVerdict(int $from, int $to): bool
    {
        $text = $this->text;
        while ($text->at($from)->is('!') || $text->opens($from) && $text->pair[$from] === $to && $text->at($from)->text === '(') {
            $to -= $text->at($from)->is('!') ? 0 : 1;
            $from++;
        }
        if (\count($inner = $this->parts($from, $to)) > 1) {
            return (bool) \array_filter($inner, fn ($part) => $this->isVerdict(...$part));
        }
        [$scope] = $text->in($from);
        if ($from === $to && $text->at($from)->is(\T_VARIABLE)) {
            $name = $text->at($from)->text;
            if (isset($this->open["v $scope $name"])) {
                return false;
            }
            $this->open["v $scope $name"] = true;
            $is = (bool) \array_filter($this->assigned[$scope][$name] ?? [], fn ($a) => $a[1] >= 0 && $this->isVerdict($a[1], $a[2]));
            unset($this->open["v $scope $name"]);
            return $is;
        }
        if (!$text->at($to)->is(')') || !isset($text->pair[$to])) {
            return false;
        }
        $callee = $text->pair[$to] - 1;
        $static = $text->at($callee - 1)->is(\T_DOUBLE_COLON) && $this->constructs($callee - 1);
        if ($callee < $from || $text->at($callee - 1)->is(\T_NEW) || !$static && !$this->asks($callee)) {
            return false;
        }
        for ($at = $from; $at < $callee; $at++) {
            if ($text->opens($at)) {
                $at = $text->pair[$at];
            } elseif (!$text->at($at)->is([\T_VARIABLE, ...Operands::NAME, ...Operands::MEMBER])) {
                return false; // the call is not all of it
            }
        }
        return $this->holdsResult($callee + 2, $to - 1, $this->results($scope));
    }

    /** The variables of a function that hold what calls of the program gave, but for objects that the tests made. */
    private function results(string $scope): array
    {
        if (isset($this->known["results $scope"])) {
            return $this->known["results $scope"];
        }
        $results = [];
        do {
            $before = \count($results);
            foreach ($this->assigned[$scope] ?? [] as $variable => $all) {
                foreach ($all as [, $from, $to, $how]) {
                    if ($from >= 0 && $how !== 'key' && $this->holdsResult($from, $to, $results)) {
                        $results[$variable] = true;
                    }
                }
            }
        } while (\count($results) > $before);
        return $this->known["results $scope"] = $results;
    }

    private function holdsResult(int $from, int $to, array $results): bool
    {
        $text = $this->text;
        for ($at = $from; $at <= $to; $at++) {
            if ($text->at($at)->is([\T_FN, \T_FUNCTION])) {
                return false;
            }
            if ($text->at($at)->is(\T_VARIABLE) && isset($results[$text->at($at)->text]) || $this->asks($at) && !$this->constructs($at) && !$text->at($at - 1)->is(\T_NEW)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The arguments of the program that it gets without being able to change them.
     *
     * @return list<array{int, int}>
     */
    public function lent(): array
    {
        return \array_values(\array_map(fn ($c) => [$c[0], $c[1]], \array_filter($this->changed(), fn ($c) => $c[2])));
    }

    /**
     * The arguments that a call of the program may change, and with which its results
     * are compared after that: first and last place, and whether nothing else reads
     * what it changed, so that the call needs no more than the value.
     *
     * @return list<array{int, int, bool}>
     */
    private function changed(): array
    {
        $text = $this->text;
        $given = $bare = [];
        foreach ($text->code as $n => $_) {
            if (!$this->asks($n) || !$text->opens($n + 1)) {
                continue;
            }
            $isBare = $text->at($n - 1)->is([';', '{', '}', \T_OPEN_TAG]) && $text->at($text->pair[$n + 1] + 1)->is(';');
            foreach ($text->arguments($n + 1) as [$from, $to]) {
                $path = $this->path($from, $to);
                if ($path === null || !$this->isFunction($n) && !$this->isStandard($from)) {
                    continue;
                }
                $key = \implode(' ', [$text->in($n)[0], $path]);
                $given[$key][] = [$from, $to, $text->pair[$n + 1], $path];
                $bare[$key] = ($bare[$key] ?? false) || $isBare;
            }
        }
        $found = [];
        foreach ($given as $key => $places) {
            [$from, $to, $end, $path] = $places[0];
            [$mixed, $plain] = $this->judgements($from, $end, $path);
            if ($mixed) {
                $found[] = [$from, $to, !$plain && !$bare[$key] && \count($places) === 1 && !$this->isStandard($from)];
            }
        }
        return $found;
    }

    /** The text of a variable with its elements, or of a property of the test; null of all else. */
    private function path(int $from, int $to): ?string
    {
        $text = $this->text;
        $at = $from;
        if ($text->at($from)->text === '$this') {
            if (!$text->at($from + 1)->is(\T_OBJECT_OPERATOR) || $to < $from + 2) {
                return null;
            }
            $at += 2;
        } elseif (!$text->at($from)->is(\T_VARIABLE)) {
            return null;
        }
        while ($at < $to && $text->opens($at + 1) && $text->at($at + 1)->text === '[') {
            $at = $text->pair[$at + 1];
        }
        return $at === $to ? $this->words($from, $to) : null;
    }

    private function words(int $from, int $to): string
    {
        $words = '';
        for ($at = $from; $at <= $to; $at++) {
            $words .= $this->text->at($at)->text;
        }
        return $words;
    }

    /** Whether a variable holds a plain object of the tests' own. */
    private function isStandard(int $at): bool
    {
        foreach ($this->assigned[$this->text->in($at)[0]][$this->text->at($at)->text] ?? [] as [, $from, $to]) {
            if ($from >= 0 && ($this->text->at($from)->is(\T_OBJECT_CAST) || $this->text->at($from)->is(\T_NEW) && \strtolower(\ltrim($this->text->at($from + 1)->text, '\\')) === 'stdclass')) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the text compares what a call may have changed with what the program
     * gives, and whether it looks at it without that.
     *
     * @return array{bool, bool}
     */
    private function judgements(int $argument, int $end, string $path): array
    {
        $text = $this->text;
        [$scope, $begin, $last] = $text->in($argument);
        $after = $end;
        // In a loop that goes round with the same variable, all of it is later.
        $name = $text->at($argument)->text;
        foreach ($text->code as $n => $_) {
            if ($n > $begin && $n < $argument && $text->at($n)->is([\T_FOR, \T_FOREACH, \T_WHILE]) && $text->opens($n + 1) && $text->opens($text->pair[$n + 1] + 1) && $argument < $text->pair[$text->pair[$n + 1] + 1]) {
                $inside = \array_filter($this->assigned[$scope][$name] ?? [], fn ($a) => $a[0] > $n && $a[0] < $text->pair[$text->pair[$n + 1] + 1]);
                $after = $inside === [] ? \min($after, $n) : $after;
            }
        }
        $size = \substr_count($path, '[') === 0 && !\str_contains($path, '->') ? 0 : null;
        $standard = $this->isStandard($argument);
        $same = [\T_IS_IDENTICAL, \T_IS_NOT_IDENTICAL];
        $is = function (int $at) use ($path, $size, $after, $name, $standard, $same): bool {
            if ($at <= $after || $this->text->at($at)->text !== $name) {
                return false;
            }
            if ($standard && ($this->text->at($at + 1)->is($same) || $this->text->at($at - 1)->is($same) && !$this->text->at($at + 1)->is(Operands::MEMBER))) {
                return false; // which object it is, is the tests' own
            }
            for ($to = $at, $words = $name; $size === null && \strlen($words) < \strlen($path);) {
                $words .= $this->text->at(++$to)->text;
            }
            return $size === 0 || $words === $path;
        };
        // What comes of it, and what comes of the program.
        $later = $results = [];
        for ($again = true; $again;) {
            $before = \count($later) + \count($results);
            foreach ($this->assigned[$scope] ?? [] as $variable => $all) {
                foreach ($all as [$place, $from, $to, $how]) {
                    if ($from >= 0 && $how !== 'key' && $place > $begin && $place < $last) {
                        if ($place > $after && $variable !== $name && $this->holds($from, $to, $is, $later)) {
                            $later[$variable] = true;
                        }
                        if ($this->holdsCall($from, $to, $results)) {
                            $results[$variable] = true;
                        }
                    }
                }
            }
            $again = \count($later) + \count($results) > $before;
        }
        $mixed = $plain = false;
        foreach ($this->looks($begin, $last) as [$from, $to]) {
            if ($this->holds($from, $to, $is, $later)) {
                $result = $this->holdsCall($from, $to, $results);
                $mixed = $mixed || $result;
                $plain = $plain || !$result;
            }
        }
        return [$mixed, $plain];
    }

    /** Whether a value has a variable of some, outside of what calls of the program get. */
    private function holds(int $from, int $to, \Closure $is, array $variables): bool
    {
        for ($at = $from; $at <= $to; $at++) {
            if ($this->asks($at) && $this->text->opens($at + 1)) {
                $at = $this->text->pair[$at + 1];
            } elseif ($this->text->at($at)->is(\T_VARIABLE) && ($is($at) || isset($variables[$this->text->at($at)->text]))) {
                return true;
            }
        }
        return false;
    }

    private function holdsCall(int $from, int $to, array $results): bool
    {
        for ($at = $from; $at <= $to; $at++) {
            if ($this->asks($at) || $this->text->at($at)->is(\T_VARIABLE) && isset($results[$this->text->at($at)->text])) {
                return true;
            }
        }
        return false;
    }

    /** Where a function judges: comparisons, conditions, assertions, what it returns and prints. */
    private function looks(int $begin, int $last): array
    {
        $text = $this->text;
        if (isset($this->known["looks $begin"])) {
            return $this->known["looks $begin"];
        }
        $found = [];
        $this->compared ??= $text->comparisons([...Operands::EQUAL, '<', '>', \T_IS_SMALLER_OR_EQUAL, \T_IS_GREATER_OR_EQUAL, \T_SPACESHIP], true);
        $scope = $begin < 0 ? '' : null;
        foreach ($this->compared as [$n, $first, , , $to]) {
            if ($n > $begin && $n < $last && ($scope === null || $text->in($n)[0] === $scope)) {
                $found[] = [$first, $to];
            }
        }
        for ($n = $begin + 1; $n < $last; $n++) {
            $name = \strtolower(\ltrim($text->at($n)->text, '\\'));
            if ($scope !== null && $text->in($n)[0] !== $scope) {
                continue;
            }
            if ($text->at($n)->is([\T_RETURN, \T_YIELD, \T_ECHO, \T_PRINT])) {
                $found[] = [$n + 1, $this->end($n + 1)];
            } elseif ($text->opens($n + 1) && $text->at($n + 1)->text === '(' && ($text->at($n)->is([\T_IF, \T_ELSEIF, \T_WHILE, \T_SWITCH, \T_MATCH])
                || $text->at($n)->is(Operands::NAME) && (\preg_match('/^(?:assert\w*|var_dump|var_export|print_r|printf)$/', $name) || isset($text->own[$name]) && !$text->at($n - 1)->is(\T_FUNCTION)))) {
                foreach ($this->parts($n + 2, $text->pair[$n + 1] - 1) as $part) {
                    $found[] = $part;
                }
            }
        }
        return $this->known["looks $begin"] = $found;
    }

    /** The parts of a condition, each of which is judged by itself. */
    private function parts(int $from, int $to): array
    {
        $found = [];
        for ($at = $begin = $from; $at <= $to; $at++) {
            if ($this->text->at($at)->is([\T_BOOLEAN_AND, \T_BOOLEAN_OR, \T_LOGICAL_AND, \T_LOGICAL_OR])) {
                $found[] = [$begin, $at - 1];
                $begin = $at + 1;
            }
            $at = $this->text->opens($at) ? $this->text->pair[$at] : $at;
        }
        return [...$found, [$begin, $to]];
    }
}
