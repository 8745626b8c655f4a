package bd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet/bd"
	"ocaptain/fleet/bdtest"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/eventually"
)

const (
	first  = `{"id":"kite-1","title":"First","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-31T12:00:00Z","updated_at":"2026-01-31T12:00:00Z"}` + "\n"
	second = `{"id":"kite-2","title":"Second","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-31T12:00:00Z","updated_at":"2026-01-31T12:00:00Z"}` + "\n"
)

// onPath makes program the only bd on PATH.
func onPath(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "bd")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// script makes a shell script the bd on PATH.
func script(t *testing.T, text string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	onPath(t, program)
}

// imports checks that Import updates the database of a version of bd, in a project whose own files would make bd do
// something else.
func imports(t *testing.T, version string) {
	p := bdtest.Begin(t, version, []byte(first))
	t.Setenv("HOME", t.TempDir())
	onPath(t, bdtest.Binary(t, version))
	own := filepath.Join(p.Dir, ".beads")
	file, ran := filepath.Join(p.Dir, beads.Name), filepath.Join(t.TempDir(), "ran")
	hostile := map[string]string{
		"redirect": "/nowhere\n", "config.yaml": "no-db: true\nreadonly: true\ndb: /nowhere/beads.db\n", ".env": "BEADS_DB=/nowhere\nBEADS_DOLT_SERVER_MODE=1\n",
		"metadata.json": `{"database":"../../elsewhere.db","backend":"dolt","dolt_mode":"server","dolt_server_host":"127.0.0.1","dolt_server_port":9}`,
	}
	for _, event := range []string{"on_create", "on_update", "on_close", "pre-commit", "post-merge"} {
		hostile["hooks/"+event] = "#!/bin/sh\ntouch " + ran + "\n"
	}
	was := map[string][]byte{}
	for name, text := range hostile {
		was[name], _ = os.ReadFile(filepath.Join(own, name))
		if err := errors.Join(os.MkdirAll(filepath.Join(own, "hooks"), 0o755), os.WriteFile(filepath.Join(own, name), []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	changed := strings.Replace(strings.Replace(first, "First", "Changed", 1), `"updated_at":"2026`, `"updated_at":"2036`, 1)
	if err := os.WriteFile(file, []byte(changed+second), 0o600); err != nil {
		t.Fatal(err)
	}
	d := bd.Database{Workspace: p.Dir, Scratch: filepath.Join(t.TempDir(), "bd"), Most: time.Minute}
	if err := d.Import(t.Context(), nil, func(was []byte) []byte {
		if known := beads.Read(was).Issue("kite-1"); version == bdtest.Dolt && (known == nil || known.Title != "First") {
			t.Errorf("it has %s", was)
		}
		return []byte(changed + second)
	}); err != nil {
		t.Fatal(err)
	}
	for name := range hostile {
		if was[name] == nil {
			_ = os.Remove(filepath.Join(own, name))
		} else if err := os.WriteFile(filepath.Join(own, name), was[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	titles := ""
	for _, i := range p.List("list", "-n", "0") {
		titles += i.Title + " "
	}
	if !strings.Contains(titles, "Changed ") || !strings.Contains(titles, "Second ") {
		t.Errorf("bd %s lists %s", version, titles)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != changed+second {
		t.Errorf("the file is %s, %v", now, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook ran")
	}
	if _, err := os.Stat(d.Scratch); err == nil {
		t.Error("what bd was run in is left")
	}
}

func TestImport(t *testing.T) { imports(t, bdtest.Files) }

// TestHostile uses programs in place of bd that hang, print without end or leave processes behind: none of them stops
// Import for long.
func TestHostile(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"hangs":             {`sleep 1000`, "did not end within"},
		"hangs, in a child": {`sleep 1000 & wait`, "did not end within"},
		"dies":              {`kill -9 $$`, "killed"},
		"is locked":         {`printf 'Warning: old\n\ndatabase is locked\n' >&2; exit 1`, "status 1: database is locked"},
		"says nothing":      {`exit 0`, "can read"},
		"garbage":           {`printf '\033[2J{"version": [1]}'`, "can read"},
		"no version":        {`echo '{"version": "a; rm -rf /"}'`, "names no version"},
		"100 MB":            {`head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; exit 3`, "exit status 3"},
		"third generation":  {`echo '{"schema_version":2,"data":{"version":"2.0.0"}}'`, "bd 2.0.0 is of a generation"},
		"between":           {`echo '{"version":"0.55.1"}'`, "bd 0.55.1 is of a generation"},
		"version works":     {`case $1 in version) echo '{"version":"0.49.6"}';; *) sleep 1000;; esac`, "did not end within"},
		"escapes":           {`printf '\033]0;x\007bad\n' >&2; exit 1`, "bad"},
		"holds its output":  {`sleep 1000 & echo '{"version":"0.49.6"}'`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			script(t, c.script)
			d := bd.Database{Workspace: t.TempDir(), Scratch: filepath.Join(t.TempDir(), "bd"), Most: 3 * time.Second}
			if err := errors.Join(os.Mkdir(filepath.Join(d.Workspace, ".beads"), 0o755), os.WriteFile(filepath.Join(d.Workspace, ".beads", "beads.db"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			err := d.Import(t.Context(), nil, func([]byte) []byte { return []byte{} })
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\033")) {
				t.Errorf("%v", err)
			}
			eventually.Holds(t, "nothing of it is left", func() bool { return len(proctest.With(d.Scratch)) == 0 })
		})
	}
}

// Import opens no database but bd's own.
func TestNoDatabase(t *testing.T) {
	script(t, `touch ../ran`)
	for name, c := range map[string]struct {
		make    string
		tracked []string
		bad     bool
	}{
		"none":           {make: "mkdir .beads"},
		"no directory":   {make: "true"},
		"a link":         {make: "mkdir .beads && touch db && ln -s ../db .beads/beads.db"},
		"a linked place": {make: "mkdir x && touch x/beads.db && ln -s x .beads"},
		"a ship's":       {make: "mkdir .beads && touch .beads/beads.db", tracked: []string{"issues.jsonl", "Beads.db-wal"}, bad: true},
	} {
		base := t.TempDir()
		d := bd.Database{Workspace: filepath.Join(base, "workspace"), Scratch: filepath.Join(base, "bd"), Most: time.Minute}
		if err := os.Mkdir(d.Workspace, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-ec", c.make)
		cmd.Dir = d.Workspace
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		if err := d.Import(t.Context(), c.tracked, nil); (err != nil) != c.bad {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(base, "ran")); err == nil {
			t.Errorf("%s: bd was run", name)
		}
	}
	release := bd.Lock(t.Context(), t.TempDir()) // without a .beads directory
	release()
	t.Setenv("PATH", t.TempDir())
	if err := (bd.Database{Workspace: t.TempDir()}).Import(t.Context(), nil, nil); !errors.Is(err, bd.ErrAbsent) {
		t.Error(err)
	}
}

// While bd writes the file, Lock waits, until its time is over.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(dir, ".beads", ".jsonl.lock")
	if err := errors.Join(os.Mkdir(filepath.Dir(lock), 0o755), os.WriteFile(lock, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	held := func() bool {
		f, err := os.Open(lock)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
	}
	release := bd.Lock(t.Context(), dir)
	if !held() {
		t.Error("it is not held")
	}
	bd.Lock(t.Context(), dir)() // returns although bd holds the lock
	if !held() {
		t.Error("it was taken away")
	}
	if release(); held() {
		t.Error("it is held still")
	}
	for _, put := range []func() error{
		func() error { return os.Symlink("/dev/zero", lock) },
		func() error { return syscall.Mkfifo(lock, 0o600) },
		func() error { return os.Mkdir(lock, 0o700) },
	} {
		if err := errors.Join(os.Remove(lock), put()); err != nil {
			t.Fatal(err)
		}
		bd.Lock(t.Context(), dir)()
	}
}
