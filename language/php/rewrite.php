<?php
// Makes the harness's copies of the tests go through us where PHP asks an object
// nothing: foreach over what is no iterator, and functions that show a value; where
// a NaN would be ordered; and where a variable is compared with what a call of it
// gives. Lines stay where they are.

declare(strict_types=1);

namespace Glovebox;

const SHOWS = ['var_export', 'print_r', 'var_dump', 'json_encode', 'serialize'];

/** Rewrites the test files of the workspace, before any of them runs. */
function rewriteTests(): void
{
    $own = [];
    $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator('/workspace', \FilesystemIterator::SKIP_DOTS));
    foreach ($files as $file) {
        $own[$file->getBasename()] = true;
    }
    foreach ($files as $file) {
        if ($file->isFile() && $file->getExtension() === 'php') {
            $before = (string) \file_get_contents($file->getPathname());
            $after = rewrite($before, $own);
            if ($after === $before) {
                continue;
            }
            try {
                \token_get_all($after, \TOKEN_PARSE);
            } catch (\ParseError) {
                (new Report())->unrunnable('the harness cannot read ' . $file->getFilename());
            }
            @\chmod($file->getPathname(), 0644);
            if (\file_put_contents($file->getPathname(), $after) !== \strlen($after)) {
                (new Report())->broken('the harness cannot write its copy of ' . $file->getFilename());
                exit(1);
            }
        }
    }
}

/** @param array<string, true> $own the names of the files that are here: what tests load beside them is the program */
function rewrite(string $code, array $own): string
{
    try {
        \PhpToken::tokenize($code, \TOKEN_PARSE);
    } catch (\ParseError) {
        return $code; // PHP says what is wrong with it when it is run
    }
    $tokens = \PhpToken::tokenize($code);
    $next = function (int $at) use ($tokens): int {
        do {
            $at++;
        } while (isset($tokens[$at]) && $tokens[$at]->isIgnorable());
        return $at;
    };
    $previous = null;
    $before = $after = [];
    $operands = new Operands($tokens);
    $wraps = \array_map(fn ($o) => [...$o, 'ordered'], $operands->ordered());
    foreach ($operands->given() as $place => $function) {
        $wraps[] = [$place, $place, $function];
    }
    foreach ($operands->walked() as [$from, $to]) {
        $wraps[] = [$from, $to, 'walked'];
    }
    foreach ((new Flow($operands))->lent() as [$from, $to]) {
        if ($from !== $to || !isset($operands->given()[$from])) {
            $wraps[] = [$from, $to, 'given'];
        }
    }
    \usort($wraps, fn ($one, $other) => $other[1] - $other[0] <=> $one[1] - $one[0]);
    foreach ($wraps as [$from, $to, $function]) {
        $from = $operands->code[$from];
        $before[$from] = ($before[$from] ?? '') . "\\Glovebox\\$function(";
        $to = $operands->code[$to];
        $after[$to] = ')' . ($after[$to] ?? '');
    }
    foreach ($tokens as $i => $token) {
        if ($token->isIgnorable()) {
            continue;
        }
        $open = $next($i);
        if ($token->is(\T_FOREACH) && ($tokens[$open] ?? null)?->is('(')) {
            $depth = 0;
            for ($at = $open; isset($tokens[$at]); $at++) {
                if ($tokens[$at]->is(\T_ENCAPSED_AND_WHITESPACE)) {
                    continue;
                }
                $depth += $tokens[$at]->is(['(', '[', '{', \T_CURLY_OPEN, \T_DOLLAR_OPEN_CURLY_BRACES, \T_ATTRIBUTE]) ? 1 : ($tokens[$at]->is([')', ']', '}']) ? -1 : 0);
                if ($depth === 1 && $tokens[$at]->is(\T_AS)) {
                    break;
                }
            }
            $reference = false;
            for ($end = $at; isset($tokens[$end]) && $depth > 0; $end = $next($end)) {
                $depth += $tokens[$end]->is('(') ? 1 : ($tokens[$end]->is(')') ? -1 : 0);
                $reference = $reference || $tokens[$end]->text === '&';
            }
            if (!$reference || ($tokens[$next($open)] ?? null)?->is(\T_VARIABLE)) {
                $after[$open] = ($after[$open] ?? '') . '\\Glovebox\\' . ($reference ? 'eachOf(' : 'each(');
                $before[$at] = ') ' . ($before[$at] ?? '');
            }
        } elseif ($token->is([\T_INCLUDE, \T_INCLUDE_ONCE, \T_REQUIRE, \T_REQUIRE_ONCE])) {
            $name = '';
            for ($at = $i + 1; isset($tokens[$at]) && !$tokens[$at]->is([';', \T_CLOSE_TAG, \T_VARIABLE]); $at++) {
                $name .= $tokens[$at]->is(\T_CONSTANT_ENCAPSED_STRING) ? \substr($tokens[$at]->text, 1, -1) : '';
            }
            if (($tokens[$at] ?? null)?->is([';', \T_CLOSE_TAG]) && \str_ends_with($name, '.php') && !isset($own[\basename($name)])) {
                for ($token->text = 'true'; --$at > $i;) {
                    $tokens[$at]->text = \preg_replace('/[^\n]+/', '', $tokens[$at]->text);
                }
            }
        } elseif ($token->is([\T_STRING, \T_NAME_FULLY_QUALIFIED]) && \in_array(\ltrim(\strtolower($token->text), '\\'), [...SHOWS, 'max', 'min', 'intval'], true)
            && ($tokens[$open] ?? null)?->is('(') && !($tokens[$next($open)] ?? null)?->is([\T_ELLIPSIS, ')'])
            && !$previous?->is([\T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR, \T_DOUBLE_COLON, \T_FUNCTION, \T_NEW])) {
            $after[$open] = "'" . \ltrim(\strtolower($token->text), '\\') . "', " . ($after[$open] ?? '');
            $token->text = \in_array(\ltrim(\strtolower($token->text), '\\'), SHOWS, true) ? '\\Glovebox\\shown' : '\\Glovebox\\extreme';
        }
        $previous = $token;
    }
    $text = '';
    foreach ($tokens as $i => $token) {
        $text .= ($before[$i] ?? '') . $token->text . ($after[$i] ?? '');
    }
    return $text;
}
