package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// npmName is the package that holds the executable for a system.
func npmName(t target) string { return fmt.Sprintf("@gloveboxhq/%s-%s", t.npmOS, t.cpu) }

// npmPlatform writes the npm package of one system. The launcher's package
// depends on all of them, and npm installs the matching one.
func (r *release) npmPlatform(t target, exe []byte) error {
	about := map[string]any{
		"name": npmName(t), "version": r.version, "description": summary + " The executable for " + t.String() + ".",
		"license": "Apache-2.0", "os": []string{t.npmOS}, "cpu": []string{t.cpu},
	}
	return r.npm(fmt.Sprintf("glovebox-%s-%s-%s.tgz", t.npmOS, t.cpu, r.version), about, file{"package/bin/" + t.exe(), 0o755, exe})
}

//go:embed launcher.js
var launcher []byte

// npmLauncher writes the npm package that people name: npx glovebox.
func (r *release) npmLauncher() error {
	parts := map[string]string{}
	for _, t := range targets {
		parts[npmName(t)] = r.version
	}
	about := map[string]any{
		"name": "glovebox", "version": r.version, "description": summary, "license": "Apache-2.0",
		"bin": map[string]string{"glovebox": "glovebox.js"}, "optionalDependencies": parts, "engines": map[string]string{"node": ">=18"},
	}
	return r.npm(fmt.Sprintf("glovebox-npm-%s.tgz", r.version), about, file{"package/glovebox.js", 0o755, launcher})
}

func (r *release) npm(name string, about map[string]any, content file) error {
	manifest, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	data, err := tarred([]file{
		{"package/package.json", 0o644, append(manifest, '\n')}, content,
		{"package/LICENSE", 0o644, r.licence}, {"package/NOTICE", 0o644, r.notice},
	}, r.date)
	if err != nil {
		return err
	}
	return r.write(name, data)
}
