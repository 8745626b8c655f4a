package claudetest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fakeNPM puts an npm on the PATH that installs a package whose binary reports the
// version, and returns the log with a line for each time that it ran.
func fakeNPM(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	script := `#!/bin/sh
echo run >> ` + dir + `/log
for pkg; do :; done
dir="$3/node_modules/${pkg%@*}"
mkdir -p "$dir"
printf '#!/bin/sh\necho "` + version + ` (Claude Code)"\n' > "$dir/claude"
chmod +x "$dir/claude"
`
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return filepath.Join(dir, "log")
}

func TestFetchOnce(t *testing.T) {
	log, root := fakeNPM(t, Version), t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "fetch-"+Version), 0o755); err != nil { // of a fetch that was killed
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			path, err := fetch(t.Context(), root)
			if err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if data, _ := os.ReadFile(log); string(data) != "run\n" {
		t.Errorf("npm ran %d times", strings.Count(string(data), "run"))
	}
	left, err := filepath.Glob(filepath.Join(root, "fetch-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestFetchRefusesAnotherVersion(t *testing.T) {
	fakeNPM(t, "1.0.0")
	if path, err := fetch(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "1.0.0") {
		t.Errorf("fetched %q, %v", path, err)
	}
}
