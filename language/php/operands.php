<?php
// Where the operands of PHP's operators and calls begin and end, by the tokens of
// a file. Places are numbers of tokens that are neither space nor comment.

declare(strict_types=1);

namespace Glovebox;

final class Operands
{
    private const ORDER = ['<', '>', \T_IS_SMALLER_OR_EQUAL, \T_IS_GREATER_OR_EQUAL, \T_SPACESHIP];
    public const EQUAL = [\T_IS_EQUAL, \T_IS_NOT_EQUAL, \T_IS_IDENTICAL, \T_IS_NOT_IDENTICAL];
    /** What binds less than a comparison, and what an expression can follow. */
    private const ENDS = [
        ',', ';', '?', ':', '=', '&', '|', '^', \T_AMPERSAND_FOLLOWED_BY_VAR_OR_VARARG, \T_AMPERSAND_NOT_FOLLOWED_BY_VAR_OR_VARARG,
        \T_BOOLEAN_AND, \T_BOOLEAN_OR, \T_LOGICAL_AND, \T_LOGICAL_OR, \T_LOGICAL_XOR, \T_COALESCE, \T_DOUBLE_ARROW, \T_PLUS_EQUAL, \T_MINUS_EQUAL,
        \T_MUL_EQUAL, \T_DIV_EQUAL, \T_CONCAT_EQUAL, \T_MOD_EQUAL, \T_AND_EQUAL, \T_OR_EQUAL, \T_XOR_EQUAL, \T_SL_EQUAL, \T_SR_EQUAL, \T_POW_EQUAL,
        \T_COALESCE_EQUAL, \T_RETURN, \T_ECHO, \T_PRINT, \T_YIELD, \T_YIELD_FROM, \T_THROW, \T_CASE, \T_ELSE, \T_DO, \T_AS, \T_CLOSE_TAG,
        \T_OPEN_TAG_WITH_ECHO, \T_INLINE_HTML, \T_INCLUDE, \T_INCLUDE_ONCE, \T_REQUIRE, \T_REQUIRE_ONCE,
    ];
    /** What can stand behind a bracket without beginning anew. */
    private const GOES_ON = [
        '(', '[', '{', '-', '+', '*', '/', '%', '.', \T_POW, \T_SL, \T_SR, \T_INSTANCEOF, \T_INC, \T_DEC, \T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR, \T_DOUBLE_COLON,
    ];
    public const MEMBER = [\T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR, \T_DOUBLE_COLON];
    public const NAME = [\T_STRING, \T_NAME_QUALIFIED, \T_NAME_FULLY_QUALIFIED];

    /** @var list<int> the tokens by place */
    public array $code = [];
    /** @var array<int, int> the other bracket or quote, by place */
    public array $pair = [];
    /** @var array<int, int> the innermost bracket that is open, by place */
    private array $parent = [];
    /** @var array<int, bool> whether it is in a text, by place */
    public array $inText = [];
    /** @var array<string, bool> functions that the file defines, in lower case */
    public array $own = [];
    /** @var list<array{string, int, int}>|null the file's named functions, with the brackets of their bodies */
    private ?array $functions = null;
    /** @var array<int, array{string, int, int}>|null the outermost of them, by place */
    private ?array $inside = null;

    /** @param list<\PhpToken> $tokens */
    public function __construct(private array $tokens)
    {
        $open = [];
        $texts = 0;
        foreach ($tokens as $i => $token) {
            if ($token->isIgnorable() || $token->is(\T_ENCAPSED_AND_WHITESPACE)) {
                continue; // a part of a text is no sign, even where it reads as one
            }
            $this->code[] = $i;
            $n = \count($this->code) - 1;
            $last = $open === [] ? null : $tokens[$this->code[$open[\count($open) - 1]]];
            $quote = $token->is(['"', '`']);
            if ($last !== null && ($token->is([')', ']', '}', \T_END_HEREDOC]) || $quote && $last->text === $token->text)) {
                $texts -= $quote || $token->is(\T_END_HEREDOC) ? 1 : 0;
                $from = \array_pop($open);
                [$this->pair[$n], $this->pair[$from]] = [$from, $n];
            }
            $this->parent[$n] = $open === [] ? -1 : $open[\count($open) - 1];
            $this->inText[$n] = $texts > 0;
            if (!isset($this->pair[$n]) && ($quote || $token->is(['(', '[', '{', \T_CURLY_OPEN, \T_DOLLAR_OPEN_CURLY_BRACES, \T_ATTRIBUTE, \T_START_HEREDOC]))) {
                $texts += $quote || $token->is(\T_START_HEREDOC) ? 1 : 0;
                $open[] = $n;
            }
            if ($token->is(self::NAME) && $n > 0 && $this->at($n - 1)->is(\T_FUNCTION)) {
                $this->own[\strtolower($token->text)] = true;
            }
        }
    }

    public function at(int $place): \PhpToken
    {
        return isset($this->code[$place]) ? $this->tokens[$this->code[$place]] : new \PhpToken(\T_INLINE_HTML, '');
    }

    public function opens(int $place): bool
    {
        return isset($this->pair[$place]) && $this->pair[$place] > $place;
    }

    private function closes(int $place): bool
    {
        return isset($this->pair[$place]) && $this->pair[$place] < $place;
    }

    private function ends(int $place, bool $equality): bool
    {
        $token = $this->at($place);
        return $token->is(self::ENDS) || $token->is(self::EQUAL) || !$equality && $token->is(self::ORDER);
    }

    /** The first place of the operand that ends before an operator. */
    private function left(int $operator, bool $equality): int
    {
        for ($at = $operator - 1; $at >= 0; $at--) {
            if ($this->closes($at)) {
                if ($at < $operator - 1 && (!$this->at($at + 1)->is(self::GOES_ON) || $this->isStatement($this->pair[$at]))) {
                    return $at + 1;
                }
                $at = $this->head($this->pair[$at]);
            } elseif (isset($this->pair[$at]) || $this->ends($at, $equality)) {
                return $at + 1;
            }
        }
        return 0;
    }

    /** Where the function begins whose body a bracket opens, or the bracket itself. */
    private function head(int $open): int
    {
        for ($at = $open - 1; $this->at($open)->text === '{' && $at >= 0 && !$this->at($at)->is(';'); $at--) {
            if ($this->at($at)->is(\T_FUNCTION)) {
                return $at;
            }
            if ($this->closes($at)) {
                if ($this->at($at)->is('}')) {
                    break;
                }
                $at = $this->pair[$at];
            } elseif (isset($this->pair[$at])) {
                break;
            }
        }
        return $open;
    }

    /** Whether a bracket is that of a statement: a condition, or a block. */
    private function isStatement(int $open): bool
    {
        $before = $this->at($open - 1);
        if ($this->at($open)->text === '(') {
            return $before->is([\T_IF, \T_ELSEIF, \T_FOR, \T_FOREACH, \T_WHILE, \T_SWITCH, \T_DECLARE]);
        }
        if ($this->at($open)->text !== '{' || $before->is([...self::MEMBER, ...self::NAME, \T_CLASS, '$'])) {
            return false;
        }
        return !$this->closes($open - 1) || !$this->at($this->pair[$open - 1] - 1)->is([\T_MATCH, \T_FUNCTION, \T_USE, \T_CLASS, '&']);
    }

    /** The last place of the operand that begins behind an operator; nothing for an arrow function. */
    private function right(int $operator, bool $equality): int
    {
        for ($at = $operator + 1; isset($this->code[$at]); $at++) {
            if ($this->at($at)->is(\T_FN)) {
                return $operator;
            }
            if ($this->opens($at)) {
                $at = $this->pair[$at];
            } elseif (isset($this->pair[$at]) || $this->ends($at, $equality) || $this->at($at)->is(')')) {
                break;
            }
        }
        return $at - 1;
    }

    /**
     * The comparisons of a file: the operator's place, and first and last places of
     * its two operands.
     *
     * @return list<array{int, int, int, int, int}>
     */
    public function comparisons(array $operators, bool $equality): array
    {
        $found = [];
        foreach ($this->code as $n => $_) {
            if (!$this->inText[$n] && $this->at($n)->is($operators)) {
                [$first, $last] = [$this->left($n, $equality), $this->right($n, $equality)];
                if ($first < $n && $last > $n) {
                    $found[] = [$n, $first, $n - 1, $n + 1, $last];
                }
            }
        }
        return $found;
    }

    /**
     * The operands that are ordered or made an int, and are no constants, by first
     * and last place.
     *
     * @return list<array{int, int}>
     */
    public function ordered(): array
    {
        $found = $operands = [];
        foreach ($this->comparisons(self::ORDER, false) as [, $first, $last, $from, $to]) {
            \array_push($operands, [$first, $last], [$from, $to]);
        }
        foreach ($this->code as $n => $_) {
            if ($this->at($n)->is(\T_INT_CAST) && !$this->inText[$n]) {
                $operands[] = [$n + 1, $this->unary($n + 1)];
            }
        }
        foreach ($operands as [$a, $b]) {
            for ($at = $a; $at <= $b; $at++) {
                if ($this->at($at)->is(\T_VARIABLE) || $this->at($at)->is('(') && $at > $a && $this->at($at - 1)->is([...self::NAME, ')', ']'])) {
                    $found[] = [$a, $b];
                    break;
                }
            }
        }
        return $found;
    }

    /** The last place of the operand of a cast that begins at a place, or one before it. */
    private function unary(int $from): int
    {
        for ($at = $from; $this->at($at)->is(['-', '+', '!', '~', '@', \T_INC, \T_DEC, \T_INT_CAST, \T_DOUBLE_CAST, \T_STRING_CAST, \T_BOOL_CAST]); $at++);
        if (!$this->opens($at) && !$this->at($at)->is([\T_VARIABLE, \T_LNUMBER, \T_DNUMBER, \T_CONSTANT_ENCAPSED_STRING, ...self::NAME])) {
            return $from - 1;
        }
        for ($at = $this->opens($at) ? $this->pair[$at] : $at;;) {
            if ($this->at($at + 1)->is(self::MEMBER)) {
                $at = $this->opens($at + 2) ? $this->pair[$at + 2] : $at + 2;
            } elseif ($this->opens($at + 1) && $this->at($at + 1)->is(['(', '['])) {
                $at = $this->pair[$at + 1];
            } elseif ($this->at($at + 1)->is([\T_INC, \T_DEC])) {
                $at++;
            } else {
                $power = $this->at($at + 1)->is(\T_POW) ? $this->unary($at + 2) : $at;
                return $power === $at + 1 ? $from - 1 : $power;
            }
        }
    }

    /**
     * The pairs of values that equality or an assertion of it compares, with whether
     * by identity.
     *
     * @return list<array{int, int, int, int, bool}>
     */
    public function equals(): array
    {
        $found = [];
        foreach ($this->comparisons(self::EQUAL, true) as [$n, $first, $last, $from, $to]) {
            $found[] = [$first, $last, $from, $to, $this->at($n)->is([\T_IS_IDENTICAL, \T_IS_NOT_IDENTICAL])];
        }
        foreach ($this->code as $n => $_) {
            if (!$this->inText[$n] && $this->at($n)->is(self::NAME) && $this->opens($n + 1) && $this->at($n + 1)->text === '('
                && \preg_match('/^\\\\?(?:.*\\\\)?assert\w*(equals|same)\w*$/i', $this->at($n)->text, $m)) {
                $arguments = $this->arguments($n + 1);
                if (\count($arguments) > 1) {
                    $found[] = [...$arguments[0], ...$arguments[1], \strtolower($m[1]) === 'same'];
                }
            }
        }
        return $found;
    }

    /**
     * What is given to something of PHP that walks over an object's properties, and asks
     * it nothing: first and last place.
     *
     * @return list<array{int, int}>
     */
    public function walked(): array
    {
        $found = [];
        foreach ($this->code as $n => $_) {
            if (!$this->inText[$n] && $this->at($n)->is(self::NAME) && $this->opens($n + 1) && $this->at($n + 1)->text === '('
                && !$this->at($n - 1)->is(self::MEMBER) && \preg_match('/^\\\\?(?:http_build_query|(?:Recursive)?ArrayIterator|ArrayObject)$/i', $this->at($n)->text)) {
                $found = [...$found, ...\array_slice($this->arguments($n + 1), 0, 1)];
            }
        }
        return $found;
    }

    /** First and last places of the arguments of a call, by the place of its bracket. */
    public function arguments(int $open): array
    {
        $found = [];
        for ($from = $at = $open + 1; $at <= $this->pair[$open]; $at++) {
            if ($at === $this->pair[$open] || $this->at($at)->is(',')) {
                if ($at > $from) {
                    $found[] = [$from, $at - 1];
                }
                $from = $at + 1;
            } elseif ($this->opens($at)) {
                $at = $this->pair[$at];
            }
        }
        return $found;
    }

    /**
     * The places where a variable is given to a call, and compared with what comes of
     * it, with what each is wrapped in: see given.
     *
     * @return array<int, string>
     */
    public function given(): array
    {
        $found = [];
        foreach ($this->equals() as [$first, $last, $from, $to, $same]) {
            foreach ([[$first, $last, $from, $to], [$from, $to, $first, $last]] as [$a, $b, $c, $d]) {
                if ($a !== $b || !$this->at($a)->is(\T_VARIABLE)) {
                    continue;
                }
                for ($at = $c + 1; $at < $d; $at++) {
                    if ($this->at($at)->is(\T_VARIABLE) && $this->at($at)->text === $this->at($a)->text && !$this->inText[$at]
                        && $this->at($at - 1)->is(['(', ',']) && $this->at($at + 1)->is([')', ',']) && $this->asks($this->parent[$at])) {
                        $found[$at] = 'given';
                        if (!$same) {
                            $found[$a] = $a < $at ? 'copied' : 'kept';
                        }
                    }
                }
            }
        }
        return $found;
    }

    /** Whether a bracket is that of a call of what neither PHP nor the file has. */
    private function asks(int $open): bool
    {
        if ($open < 1 || $this->at($open)->text !== '(') {
            return false;
        }
        $callee = $this->at($open - 1);
        if (!$callee->is(self::NAME)) {
            return $callee->is([\T_VARIABLE, ')', ']']);
        }
        return $this->at($open - 2)->is([...self::MEMBER, \T_NEW]) || $this->isAsked($callee->text);
    }

    /** Whether a name is that of a function that neither PHP nor the file has. */
    public function isAsked(string $name): bool
    {
        $name = \strtolower(\ltrim($name, '\\'));
        $short = \substr($name, (int) \strrpos("\\$name", '\\'));
        return !isset($this->own[$short]) && !\str_starts_with($name, 'glovebox\\') && !(\function_exists($short) && (new \ReflectionFunction($short))->isInternal());
    }

    /**
     * The functions of the file that compare two values which calls of the program
     * give, in lower case; "" where that is outside of all.
     *
     * @return array<string, bool>
     */
    public function between(): array
    {
        $results = $found = [];
        foreach ($this->code as $n => $_) {
            if ($this->at($n)->is(\T_VARIABLE) && $this->at($n + 1)->is('=') && !$this->at($n - 1)->is(self::MEMBER) && $this->isResult($n + 2, $this->right($n + 1, true), [])) {
                $results[$this->at($n)->text] = true;
            }
        }
        foreach ($this->equals() as [$first, $last, $from, $to, $same]) {
            if (!$same && $this->isResult($first, $last, $results) && $this->isResult($from, $to, $results)) {
                $found[$this->in($first)[0]] = true;
            }
        }
        return $found;
    }

    /** The file's named functions, with the brackets of their bodies. */
    public function functions(): array
    {
        if ($this->functions === null) {
            $this->functions = [];
            foreach ($this->code as $n => $_) {
                if (!$this->at($n)->is(\T_FUNCTION)) {
                    continue;
                }
                $name = $this->at($n + 1)->text === '&' ? $n + 2 : $n + 1;
                for ($body = $name; isset($this->code[$body]) && !$this->at($body)->is(['{', ';']); $body++);
                if ($this->at($name)->is(\T_STRING) && $this->opens($body)) {
                    $this->functions[] = [\strtolower($this->at($name)->text), $body, $this->pair[$body]];
                }
            }
        }
        return $this->functions;
    }

    /** The outermost named function around a place; "" and the whole file where there is none. */
    public function in(int $place): array
    {
        if ($this->inside === null) {
            $this->inside = [];
            foreach (\array_reverse($this->functions()) as $function) { // the outermost come last
                for ($at = $function[1] + 1; $at < $function[2]; $at++) {
                    $this->inside[$at] = $function;
                }
            }
        }
        return $this->inside[$place] ?? ['', -1, \count($this->code)];
    }

    /** Whether an expression is what a call of the program gives. */
    private function isResult(int $from, int $to, array $results): bool
    {
        while ($this->opens($from) && $this->pair[$from] === $to && $this->at($from)->text === '(') {
            [$from, $to] = [$from + 1, $to - 1];
        }
        if ($from === $to) {
            return $this->at($from)->is(\T_VARIABLE) && isset($results[$this->at($from)->text]);
        }
        if ($from > $to || !$this->at($to)->is(')')) {
            return false;
        }
        for ($at = $from; $at <= $to; $at++) {
            if ($this->opens($at)) {
                $at = $this->pair[$at];
            } elseif (!$this->at($at)->is([\T_VARIABLE, ...self::NAME, \T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR])) {
                return false;
            }
        }
        $method = $this->at($from)->is(\T_VARIABLE);
        if ($method && $this->at($from)->text === '$this' && $this->at($from + 3)->is('(') && $this->pair[$from + 3] === $to) {
            return false; // the tests' own
        }
        return $method && $to > $from + 1 || !$method && $this->at($from)->is(self::NAME) && $this->at($from + 1)->is('(') && $this->isAsked($this->at($from)->text);
    }
}
