package engine_test

import (
	"reflect"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/internal/schema"
	"github.com/gloveboxhq/glovebox/language"
)

// TestSchemas holds the published schemas to what a run gives.
func TestSchemas(t *testing.T) {
	observation := schema.Of[glovebox.Observation](t, "../docs/schema/observation.json", "What glovebox run --json prints", nil)
	event := schema.Of[engine.Event](t, "../docs/schema/event.json", "A line of glovebox run --json --stream, but for the last", map[reflect.Type][]string{
		reflect.TypeFor[engine.EventKind](): {string(engine.EventPhase), string(engine.EventOutput), string(engine.EventGap), string(engine.EventRestart)}})
	e := open(t)
	need(t, e, language.Python)
	for name, job := range map[string]glovebox.Job{
		"a pass":         {Program: python("print('a'); print('\\xff')")},
		"an error":       {Program: python("raise ValueError('no')")},
		"a syntax error": {Program: python("print(")},
		"no code":        {Reply: "There is none."},
		"failed tests":   {Program: python("def f(): return 1"), Tests: files("test_it.py", "from solution import f\nassert f() == 2\n")},
		"artifacts":      {Program: python("open('a.txt', 'w').write('a' * 99); import os; os.symlink('/etc', 'b')")},
	} {
		o, err := e.Watch(t.Context(), job, engine.Watcher{Hold: true, Event: func(v engine.Event) {
			if err := event.Check(v); err != nil {
				t.Errorf("%s: an event: %v: %+v", name, err, v)
			}
		}})
		if err == nil {
			err = observation.Check(o)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	wrong := glovebox.Observation{Status: "fine"}
	if observation.Check(wrong) == nil {
		t.Error("a status that there is not fits")
	}
}
