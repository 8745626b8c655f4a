package config

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"ocaptain/fleet/agent"
)

// environment merges the process environment with the .env files: the first that has a variable wins. It takes only
// variables that ocaptain or an agent of the captain's knows, from files in which they have an effect, and returns
// the others as ignored.
func environment(s Sources, agents map[string]agent.Custom, bad *Error) (env map[string]found, ignored []Ignored) {
	counts := func(name string) (Where, bool) {
		for _, a := range agents {
			if slices.Contains(a.Env, name) {
				return OwnFile, true // the value may be an address as well as a key
			}
		}
		return counts(name)
	}
	env = map[string]found{}
	for _, kv := range s.Environ {
		k, v, _ := strings.Cut(kv, "=")
		if _, ok := counts(k); ok {
			env[k] = found{v, "environment"}
		}
	}
	dirs := []string{s.Dir, s.Cwd}
	if s.Cwd == s.Dir {
		dirs = dirs[:1]
	}
	for i, dir := range dirs {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, ".env")
		vars := readDotEnv(path, bad)
		for _, k := range slices.Sorted(maps.Keys(vars)) {
			where, ok := counts(k)
			if _, have := env[k]; have || !ok {
				continue
			}
			if where == NoFile || where == OwnFile && i > 0 {
				ignored = append(ignored, Ignored{k, path, filepath.Join(s.Dir, ".env"), where})
				continue
			}
			env[k] = found{vars[k], path}
		}
	}
	return env, ignored
}

// counts returns the files in which a variable has an effect, and whether ocaptain knows the variable.
func counts(name string) (Where, bool) {
	for _, s := range Settings() {
		if s.Env == name && name != "" {
			if s.Key == "theme" || s.Key == "bell" {
				return Anywhere, true // the look and the sound of the dashboard cost nothing
			}
			return OwnFile, true
		}
	}
	for _, v := range Variables() {
		if v.Name == name {
			return v.Counts, true
		}
	}
	return 0, false
}

// Ignored is a variable, or a key of captain.yaml, in a file in which it has no effect.
type Ignored struct {
	Name, File string
	own        string // the file in which it would have an effect
	counts     Where
}

// String describes the variable without its value.
func (i Ignored) String() string {
	if strings.Contains(i.Name, ", ") {
		return i.Name + " in " + i.File + " are ignored"
	}
	return i.Name + " in " + i.File + " is ignored"
}

// Advice says in which file the variable would have an effect.
func (i Ignored) Advice() string {
	switch i.counts {
	case NoFile:
		return "export " + i.Name + "=… instead"
	case Named:
		return "the captain.yaml of a repository may not decide what runs, what it costs, where tasks are, and that work is merged without review: give a flag, or name the file with --config"
	}
	return "the .env of a directory does not decide what runs, what it costs or where secrets go: export " + i.Name + "=…, or set it in " + i.own
}

// readDotEnv reads a .env file. Its errors quote nothing of the content, which is secret.
func readDotEnv(path string, bad *Error) map[string]string {
	raw, err := readSmall(path, longestFile, false)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			bad.add("%v", err)
		}
		return nil
	}
	vars, err := godotenv.UnmarshalBytes(raw)
	if err == nil {
		return vars
	}
	for i, line := range strings.Split(string(raw), "\n") {
		if _, err := godotenv.Unmarshal(line); err != nil {
			bad.add("%s:%d: cannot be read; write lines like NAME=value, with quotes around a value that has spaces", path, i+1)
			return nil
		}
	}
	bad.add("%s: cannot be read; check that every quote is closed", path)
	return nil
}
