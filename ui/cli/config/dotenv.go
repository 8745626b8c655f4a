package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/joho/godotenv"
)

// environment merges the process environment with the .env files: the first that
// has a variable wins. Only variables that ocaptain knows are taken from files.
func environment(s Sources, bad *Error) map[string]found {
	env := map[string]found{}
	for _, kv := range s.Environ {
		if k, v, _ := strings.Cut(kv, "="); wanted(k) {
			env[k] = found{v, "environment"}
		}
	}
	for _, dir := range []string{s.Dir, s.Cwd} {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, ".env")
		for k, v := range readDotEnv(path, bad) {
			if _, have := env[k]; !have && wanted(k) {
				env[k] = found{v, path}
			}
		}
	}
	return env
}

func wanted(name string) bool {
	for _, s := range Settings() {
		if s.Env == name && name != "" {
			return true
		}
	}
	for _, v := range Variables() {
		if v.Name == name {
			return true
		}
	}
	return false
}

// readDotEnv reads one file. Its errors repeat nothing of the content, which is secret.
func readDotEnv(path string, bad *Error) map[string]string {
	raw, err := readSmall(path)
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
