package bring

import (
	"context"
	"slices"
	"time"
)

// usual are patterns of git-ignored files that programs of a repository often need, except files of package managers.
var usual = []string{
	".env", ".env.*", "!*.example", "!*.sample", "!*.template", ".envrc", ".dev.vars", "*.local.json", "*.local.yml", "*.local.yaml", "*.local.toml",
	"local.properties", "local_settings.py", "appsettings.*.local.json", "master.key", ".npmrc",
	"!**/node_modules/**", "!**/vendor/**", "!**/.venv/**", "!**/venv/**", "!**/target/**", "!**/dist/**", "!**/build/**", "!**/.git/**",
}

// glancing bounds how long git may search for files that no source selects.
const glancing = 5 * time.Second

// Needed returns the git-ignored files of a checkout that agents probably need and that are not chosen.
func Needed(ctx context.Context, dir string, chosen Chosen) []string {
	ctx, cancel := context.WithTimeout(ctx, glancing)
	defer cancel()
	names, err := matches(ctx, dir, usual)
	if err != nil {
		return nil
	}
	ignored, err := ignores(ctx, dir, names)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(ignored, func(name string) bool {
		return slices.ContainsFunc(chosen.Files, func(f File) bool { return f.Path == name }) ||
			slices.ContainsFunc(chosen.Skipped, func(s Skipped) bool { return s.Path == name })
	})
}
