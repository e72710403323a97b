<?php
// What the candidate's side does for the harness. The code is evaluated with
// the tests' own mode of types, since PHP takes that from where a call stands.

namespace Glovebox;

// Here the harness may do anything: the program has nothing to hide.
return function (string $op, mixed $target, array &$arguments, Link $link): mixed {
    $object = \is_int($target) ? $link->our($target) : null;
    switch ($op) {
        case 'compare':
            return $object == $arguments[0] ? 0 : ($object < $arguments[0] ? -1 : 1);
        case 'clone':
            return clone $object;
        case 'call':
            // References are kept, so that what the function changes comes back.
            $passed = [];
            foreach ($arguments as $key => &$argument) {
                $passed[$key] = &$argument;
            }
            return $target(...$passed);
        case 'new':
            return new $target(...$arguments);
        case 'static':
            return $target::{$arguments[0]}(...\array_slice($arguments, 1));
        case 'staticGet':
            return $target::${$arguments[0]};
        case 'invoke':
            return $object(...$arguments);
        case 'method':
            return $object->{$arguments[0]}(...\array_slice($arguments, 1));
        case 'caseMethod':
            return \constant($target)->{$arguments[0]}(...\array_slice($arguments, 1));
        case 'get':
            return $object->{$arguments[0]};
        case 'set':
            $object->{$arguments[0]} = $arguments[1];
            return null;
        case 'isset':
            return isset($object->{$arguments[0]});
        case 'unset':
            unset($object->{$arguments[0]});
            return null;
        case 'iterator':
            while ($object instanceof \IteratorAggregate) {
                $object = $object->getIterator();
            }
            return $object;
        case 'properties':
            return \get_object_vars($object);
    }
    throw new \LogicException("unknown request $op");
};

