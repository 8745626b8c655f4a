package discoveries

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/search"
	"ocaptain/sync/gitflow/git"
)

const root = search.Discoveries

// repo is a repository in which each commit is an hour newer than its parent.
type repo struct {
	testing.TB
	git.Repo
	commits int
}

func newRepo(t testing.TB) *repo {
	t.Helper()
	dir := t.TempDir()
	r := &repo{TB: t, Repo: git.Repo{Dir: dir, GitDir: filepath.Join(dir, ".git")}}
	r.git("init", "-q")
	return r
}

func (r *repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.Dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	at := fmt.Sprintf("%d +0000", 1_790_000_000+3600*r.commits)
	cmd.Env = append(git.ForeignEnv(), "GIT_COMMITTER_DATE="+at, "GIT_AUTHOR_DATE="+at)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits files; a file with the content "" is removed.
func (r *repo) commit(files map[string]string) string {
	r.Helper()
	for name, text := range files {
		file := filepath.Join(r.Dir, name)
		err := os.Remove(file)
		if text != "" {
			err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
		}
		if err != nil {
			r.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.commits++
	r.git("commit", "-qm", "x")
	return r.git("rev-parse", "HEAD")
}

// note returns the content of a discovery's file.
func note(kind, text string, files ...string) string {
	return fmt.Sprintf("---\ntype: %s\ntask: \"3-2\"\nfiles: [%s]\nauthor: worker-1\nreviewer: v\ncreated: 2026-11-26\n---\n\n%s\n", kind, strings.Join(files, ", "), text)
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	r := newRepo(t)
	old := r.commit(map[string]string{
		root + "2026-10/1.1-tokens.md": note("gotcha", "Tokens last 15 minutes; the clock of the server counts, no other one.", "src/auth.ts:12-40", "src/auth.ts", "../x", "/etc/passwd"),
		root + "2026-10/2.1-other.md":  note("pattern", "tokens last 15 minutes, the clock of the server counts: no other one"),
	})
	newer := r.commit(map[string]string{
		root + "2026-11/5.1-tokens.md": note("gotcha", "Tokens last 15 minutes: the clock of the SERVER counts, no other one!\nMore."),
		root + "2026-11/5.2-ä\tx\n.md": note("decision", "Names are odd."),
	})
	all, skipped, err := Read(t.Context(), r.Repo, "HEAD")
	if err != nil || len(skipped) > 0 || len(all) != 3 {
		t.Fatalf("%+v, %+v, %v", all, skipped, err)
	}
	byFile := map[string]Discovery{}
	for _, d := range all {
		byFile[strings.TrimPrefix(d.File, root)] = d
	}
	d := byFile["2026-11/5.1-tokens.md"]
	if fmt.Sprint(d.Same) != "["+root+"2026-10/1.1-tokens.md]" || d.Commit != newer || d.Type != "gotcha" || d.Task != "3-2" || d.Author != "worker-1" || !strings.HasSuffix(d.Text, "!\nMore.") ||
		d.Title() != "Tokens last 15 minutes: the clock of the SERVER counts, no other one!" || !d.At.Equal(time.Unix(1_790_007_200, 0)) {
		t.Errorf("the newest is %+v", d)
	}
	if d := byFile["2026-10/2.1-other.md"]; d.Commit != old || d.File != all[2].File {
		t.Errorf("of another type: %+v", d)
	}
	if d := byFile["2026-11/5.2-ä\tx\n.md"]; d.Commit != newer {
		t.Errorf("an odd name: %+v", d)
	}
	all, _, err = Read(t.Context(), r.Repo, old)
	if err != nil || len(all) != 2 || all[0].Commit != old {
		t.Fatalf("of the commit before: %+v, %v", all, err)
	}
	for _, d := range all {
		if d.Type == "gotcha" && fmt.Sprint(d.Files) != "[src/auth.ts]" {
			t.Errorf("it is about %q", d.Files)
		}
	}
}

// Hostile files are skipped and listed. Nothing in the repository is executed.
func TestReadHostile(t *testing.T) {
	r := newRepo(t)
	executed := filepath.Join(t.TempDir(), "executed")
	good := note("pattern", "good", "a.txt")
	r.commit(map[string]string{
		"a.txt": lines(0, 10), ".gitattributes": "* diff=evil filter=evil\n", root + "good.md": good,
		root + "README.md": "# Discoveries\n", root + "large.md": note("pattern", strings.Repeat("x ", maxFile)), root + "data.json": "{}",
		root + "type.md": note("rumour", "x"), root + "empty.md": note("pattern", ""), root + "yaml.md": "---\ntype: [\n---\nx\n",
		root + "bomb.md": "---\na: &a [x,x]\nb: &b [*a,*a]\ntype: pattern\nfiles: *b\n---\nx\n", root + "binary.md": "---\x00\xff\n",
		root + "many.md": note("pattern", "x", strings.Fields(lines(0, maxCited))...), root + "nested.md": "---\ntype: {a: b}\n---\nx\n",
	})
	if err := os.Symlink("/etc/passwd", filepath.Join(r.Dir, root, "link.md")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "core.fsmonitor"} {
		r.git("config", key, "touch "+executed+"; cat")
	}
	r.git("-c", "core.fsmonitor=false", "-c", "filter.evil.clean=cat", "add", "-A")
	r.commits++
	r.git("-c", "core.fsmonitor=false", "-c", "filter.evil.clean=cat", "commit", "-qm", "link")
	if err := os.Remove(executed); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	all, skipped, err := Read(t.Context(), r.Repo, "HEAD")
	if err == nil {
		err = Judge(t.Context(), r.Repo, "HEAD", all)
	}
	if err != nil || len(all) != 1 || all[0].File != root+"good.md" {
		t.Fatalf("%+v, %v", all, err)
	}
	why := map[string]string{}
	for _, s := range skipped {
		why[strings.TrimPrefix(s.File, root)] = s.Why
	}
	for name, want := range map[string]string{
		"README.md": "begin with YAML", "large.md": "larger than 8 KiB", "data.json": ".md", "type.md": `"rumour"; use one of pattern`, "empty.md": "no text",
		"yaml.md": "cannot be read", "bomb.md": "anchor", "binary.md": "YAML", "many.md": "100 files", "nested.md": "cannot be read", "link.md": "not a file",
	} {
		if !strings.Contains(why[name], want) || strings.Contains(why[name], "\n") {
			t.Errorf("%s is skipped because %q, want %q", name, why[name], want)
		}
	}
	if len(skipped) != 11 {
		t.Errorf("skipped are %q", skipped)
	}
	if _, err := os.Stat(executed); err == nil {
		t.Error("a setting of the repository was executed")
	}
}

func TestPickIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range maxFiles + 3 {
		fmt.Fprintf(&b, "100644 blob %040d %7d\t%s%05d.md\x00", i, 7, root, i)
	}
	blobs, skipped := pick([]byte(b.String()))
	if len(blobs) != maxFiles || blobs[0].name != root+"00003.md" || len(skipped) != 3 || skipped[2].File != root+"00002.md" {
		t.Errorf("%d, %q", len(blobs), skipped)
	}
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		cites  []string
		change map[string]string
		stale  bool
	}{
		"nothing changed":               {[]string{"a", "d"}, map[string]string{"z": "z"}, false},
		"it cites nothing":              {nil, map[string]string{"a": ""}, false},
		"gone":                          {[]string{"a"}, map[string]string{"a": ""}, true},
		"one of two gone":               {[]string{"a", "d/b"}, map[string]string{"a": ""}, false},
		"both gone":                     {[]string{"a", "d/b"}, map[string]string{"a": "", "d/b": ""}, true},
		"one gone, one rewritten":       {[]string{"a", "d/b"}, map[string]string{"a": "", "d/b": lines(100, 110)}, true},
		"less than half changed":        {[]string{"a"}, map[string]string{"a": lines(0, 6) + lines(100, 104)}, false},
		"half changed":                  {[]string{"a"}, map[string]string{"a": lines(0, 5) + lines(100, 105)}, true},
		"lines are added alone":         {[]string{"a"}, map[string]string{"a": lines(0, 100)}, false},
		"a directory, one file changed": {[]string{"d"}, map[string]string{"d/b": lines(50, 60)}, true},
		"a directory, a file of three":  {[]string{"e/"}, map[string]string{"e/1": lines(50, 60)}, false},
		"a directory is gone":           {[]string{"d"}, map[string]string{"d/b": ""}, true},
		"it never was":                  {[]string{"never"}, map[string]string{"z": "z"}, true},
		"it was added since":            {[]string{"later"}, map[string]string{"later": "x"}, false},
		"a pattern is a name":           {[]string{"*"}, map[string]string{"z": "z"}, true},
		"magic is a name":               {[]string{":(nothing)a", "a"}, map[string]string{"z": "z"}, false},
		"binary, changed":               {[]string{"bin"}, map[string]string{"bin": "\x00\x01"}, true},
		"binary, as it was":             {[]string{"bin"}, map[string]string{"z": "z"}, false},
		"moved":                         {[]string{"a"}, map[string]string{"a": "", "moved": lines(0, 10)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			var quoted []string
			for _, f := range c.cites {
				quoted = append(quoted, fmt.Sprintf("%q", f))
			}
			r.commit(map[string]string{
				"a": lines(0, 10), "d/b": lines(0, 10), "e/1": lines(0, 10), "e/2": lines(0, 10), "e/3": lines(0, 10), "bin": "\x00",
				root + "x.md": note("gotcha", "It is so.", quoted...),
			})
			r.commit(c.change)
			all, _, err := Read(t.Context(), r.Repo, "HEAD")
			if err != nil || len(all) != 1 {
				t.Fatalf("%+v, %v", all, err)
			}
			if err := Judge(t.Context(), r.Repo, "HEAD", all); err != nil || all[0].Stale != c.stale {
				t.Errorf("stale %t, %v", all[0].Stale, err)
			}
		})
	}
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"a b c d e", "e, D: c; b a!", 1},
		{"a b c d", "a b c d e", 0.8},
		{"a b c", "a b c d", 0}, // 3 of 4 is not enough
		{"a b c d e", "a b c d f", 4.0 / 6},
		{"", "", 0},
		{"日本", "日本", 1},
	} {
		if got := similarity(wordsOf(c.a), wordsOf(c.b)); got != c.want {
			t.Errorf("%q and %q: %g, want %g", c.a, c.b, got, c.want)
		}
	}
}

// Any content of a file gives a discovery within the limits, or an error of one line.
func FuzzParse(f *testing.F) {
	f.Add([]byte(note("gotcha", "x", "a", "b")))
	f.Add([]byte("---\ntype: !!binary pattern\nfiles: {? [a]: b}\n---\nx"))
	f.Add([]byte("---\n<<: *a\n---\nx"))
	f.Add([]byte("---\ntype: gotcha\nfiles: !0 0\n---\nx")) // makes the YAML library panic
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := parse(raw)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
		if err == nil && (d.Text == "" || d.Type == "" || len(d.Files) > maxCited) {
			t.Errorf("%+v", d)
		}
	})
}
