package origin_test

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/synctest"
)

// trip prepares a clone, opens a hub on it, and merges one change of a remote.
func trip(t *testing.T, source string, opts origin.Options) (*hub.Hub, string, direct) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "deep/er/workspace")
	base, err := origin.Prepare(t.Context(), dir, source, "voyage", opts)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := origin.Prepare(t.Context(), dir, source, "voyage", opts); err != nil || again != base {
		t.Fatalf("a second time: %s, %v; first %s", again, err, base)
	}
	if dirt := synctest.Git(t, dir, "status", "--porcelain"); dirt != "" {
		t.Fatal(dirt)
	}
	h, err := hub.Open(t.Context(), dir, "voyage", hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	s := direct{filepath.Join(t.TempDir(), "workspace")}
	if _, err := h.Checkout(t.Context(), s, "ship-0", ""); err != nil {
		t.Fatal(err)
	}
	synctest.Put(t, s.dir, "work.txt", "work\n")
	if _, err := h.Merge(t.Context(), s, sync.Merge{Name: "ship-0", Subject: "work", Author: "E <e@e>"}); err != nil {
		t.Fatal(err)
	}
	if dirt := synctest.Git(t, dir, "status", "--porcelain"); dirt != "" {
		t.Fatal(dirt)
	}
	if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".prepare-*")); len(rest) > 0 {
		t.Fatalf("left behind: %v", rest)
	}
	return h, dir, s
}

// newSource makes a repository with two commits and a tag on the first.
func newSource(t *testing.T, initArgs ...string) string {
	t.Helper()
	dir := t.TempDir()
	synctest.Git(t, dir, append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	synctest.Put(t, dir, "a.txt", "one\n")
	synctest.Git(t, dir, "add", "-A")
	synctest.Git(t, dir, "commit", "-q", "-m", "one")
	synctest.Git(t, dir, "tag", "v1")
	synctest.Put(t, dir, "a.txt", "two\n")
	synctest.Git(t, dir, "commit", "-q", "-am", "two")
	return dir
}

func TestPrepareSources(t *testing.T) {
	src := newSource(t)
	t.Run("path", func(t *testing.T) {
		_, dir, _ := trip(t, src, origin.Options{})
		synctest.Has(t, dir, "a.txt", "two\n")
	})
	t.Run("url", func(t *testing.T) {
		_, dir, _ := trip(t, "file://"+src, origin.Options{From: "main"})
		synctest.Has(t, dir, "a.txt", "two\n")
		if got := synctest.Git(t, dir, "remote", "get-url", "origin"); got != "file://"+src {
			t.Fatalf("origin is %s", got)
		}
	})
	t.Run("tag", func(t *testing.T) {
		_, dir, _ := trip(t, src, origin.Options{From: "v1"})
		synctest.Has(t, dir, "a.txt", "one\n")
	})
	t.Run("fresh", func(t *testing.T) { trip(t, "", origin.Options{}) })
	t.Run("empty", func(t *testing.T) {
		dir := t.TempDir()
		synctest.Git(t, dir, "init", "-q")
		trip(t, dir, origin.Options{})
	})
	t.Run("relative", func(t *testing.T) { t.Chdir(filepath.Dir(src)); trip(t, filepath.Base(src), origin.Options{}) })
	t.Run("sha256", func(t *testing.T) { trip(t, newSource(t, "--object-format=sha256"), origin.Options{}) })
	t.Run("shallow", func(t *testing.T) {
		shallow := t.TempDir()
		synctest.Git(t, shallow, "clone", "-q", "--depth=1", "file://"+src, "s")
		_, _, s := trip(t, filepath.Join(shallow, "s"), origin.Options{})
		if got := synctest.Git(t, s.dir, "rev-parse", "--is-shallow-repository"); got != "true" {
			t.Fatalf("shallow: %s", got)
		}
	})
	t.Run("partial", func(t *testing.T) {
		synctest.Git(t, src, "config", "uploadpack.allowFilter", "true")
		synctest.Git(t, src, "config", "uploadpack.allowAnySHA1InWant", "true")
		partial := t.TempDir()
		synctest.Git(t, partial, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+src, "p")
		partial = filepath.Join(partial, "p")
		_, err := origin.Prepare(t.Context(), filepath.Join(t.TempDir(), "workspace"), partial, "voyage", origin.Options{})
		if err == nil || !strings.Contains(err.Error(), "git -C "+partial+" fetch --refetch --no-filter") {
			t.Fatalf("of a clone that lacks files: %v", err)
		}
		synctest.Git(t, partial, "fetch", "-q", "--refetch", "--no-filter")
		trip(t, partial, origin.Options{})
	})
	t.Run("submodule", func(t *testing.T) {
		super := newSource(t)
		synctest.Git(t, super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", src, "sub")
		synctest.Git(t, super, "commit", "-q", "-m", "sub")
		h, dir, s := trip(t, super, origin.Options{})
		if got := synctest.Git(t, dir, "ls-tree", "HEAD", "sub"); !strings.HasPrefix(got, "160000 ") {
			t.Fatalf("sub is %q", got)
		}
		merge := func(files int, refused ...string) {
			t.Helper()
			m, err := h.Merge(t.Context(), s, sync.Merge{Name: "ship-0", Subject: "work", Author: "E <e@e>"})
			var r *sync.Refused
			if errors.As(err, &r) {
				m.Changed = 0
			} else if err != nil {
				t.Fatal(err)
			}
			if r == nil && len(refused) > 0 || r != nil && !slices.Equal(r.Paths, refused) || m.Changed != files {
				t.Fatalf("%+v, %v", m, err)
			}
		}
		fill := func() {
			synctest.Git(t, s.dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--force")
		}
		synctest.Put(t, s.dir, "sub/lost.txt", "written where nothing is")
		merge(0, "sub")
		if err := os.Remove(filepath.Join(s.dir, "sub/lost.txt")); err != nil {
			t.Fatal(err)
		}
		fill() // the merge result is the same if an agent fills the submodule
		synctest.Put(t, s.dir, "b.txt", "b")
		merge(1)
		synctest.Put(t, s.dir, "sub/new.txt", "new")
		merge(0, "sub")
		synctest.Git(t, filepath.Join(s.dir, "sub"), "add", "-A")
		synctest.Git(t, filepath.Join(s.dir, "sub"), "commit", "-q", "-m", "inside")
		merge(0, "sub")
		k, err := h.Checkout(t.Context(), s, "ship-0", "")
		if err != nil || !strings.Contains(strings.Join(k.Notes, " "), "sub") {
			t.Fatalf("%+v, %v", k, err)
		}
		synctest.Put(t, s.dir, "c.txt", "c")
		merge(1)
		if got := synctest.Git(t, dir, "ls-tree", "HEAD", "sub"); !strings.HasPrefix(got, "160000 ") {
			t.Fatalf("sub is %q", got)
		}
	})
	t.Run("large-file pointers", func(t *testing.T) {
		lfs := newSource(t)
		synctest.Put(t, lfs, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
		synctest.Put(t, lfs, "x.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
		synctest.Git(t, lfs, "add", "-A")
		synctest.Git(t, lfs, "commit", "-q", "-m", "lfs")
		synctest.Git(t, os.Getenv("HOME"), "config", "--global", "filter.lfs.smudge", "echo smudged")
		synctest.Git(t, os.Getenv("HOME"), "config", "--global", "filter.lfs.clean", "cat")
		synctest.Git(t, os.Getenv("HOME"), "config", "--global", "filter.lfs.required", "true")
		defer synctest.Git(t, os.Getenv("HOME"), "config", "--global", "--remove-section", "filter.lfs")
		_, dir, _ := trip(t, lfs, origin.Options{})
		synctest.Has(t, dir, "x.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
	})
}

func TestPrepareRefuses(t *testing.T) {
	src := newSource(t)
	busy := t.TempDir()
	synctest.Put(t, busy, "something", "else")
	for name, c := range map[string]struct{ dir, source, branch, from, says string }{
		"password": {"", "https://me:hunter2@example.org/x", "v", "", "GH_TOKEN"},
		"option":   {"", "--upload-pack=touch /tmp/x", "v", "", "not a git URL"},
		"command":  {"", "ext::sh -c true", "v", "", "not a git URL"},
		"missing":  {"", "/no/such/place", "v", "", "check the address"},
		"branch":   {"", src, "-v", "", "branch"},
		"start":    {"", src, "v", "nowhere", "no such branch"},
		"busy":     {busy, src, "v", "", "something else is there"},
		"foreign":  {src, "", "v", "", "move it away"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := c.dir
			if dir == "" {
				dir = filepath.Join(t.TempDir(), "w")
			}
			_, err := origin.Prepare(t.Context(), dir, c.source, c.branch, origin.Options{From: c.from})
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("%v", err)
			}
			if _, err := os.Stat(dir); c.dir == "" && err == nil {
				t.Fatal("something was left")
			}
		})
	}
}

// TestToken clones over https from git's http-backend behind a server that requires a token.
func TestToken(t *testing.T) {
	src := newSource(t)
	backend := &cgi.Handler{Path: synctest.Git(t, src, "--exec-path") + "/git-http-backend", Env: []string{"GIT_PROJECT_ROOT=" + src, "GIT_HTTP_EXPORT_ALL=1"}, InheritEnv: []string{"HOME"}}
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, token, _ := r.BasicAuth(); user != "x-access-token" || token != "s3cret" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	defer srv.Close()
	cert := filepath.Join(t.TempDir(), "cert.pem")
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_SSL_CAINFO", cert)
	host := strings.TrimPrefix(srv.URL, "https://")
	_, dir, _ := trip(t, srv.URL+"/.git", origin.Options{Host: host, Token: "s3cret"})
	synctest.Has(t, dir, "a.txt", "two\n")
	if config, err := os.ReadFile(filepath.Join(dir, ".git/config")); err != nil || strings.Contains(string(config), "s3cret") {
		t.Fatalf("%s, %v", config, err)
	}
	if got, err := origin.Fetch(t.Context(), dir, srv.URL+"/.git", "main", origin.Options{Host: host, Token: "s3cret"}); err != nil || got != synctest.Git(t, src, "rev-parse", "main") {
		t.Fatalf("%s, %v", got, err)
	}
	for _, opts := range []origin.Options{{}, {Host: host, Token: "wr0ng"}, {Token: "s3cret"}} {
		_, err := origin.Prepare(t.Context(), filepath.Join(t.TempDir(), "w"), srv.URL+"/.git", "v", opts)
		if err == nil || strings.Contains(err.Error(), "wr0ng") || strings.Contains(err.Error(), "s3cret") {
			t.Fatalf("%+v: %v", opts, err)
		}
		_, err = origin.Fetch(t.Context(), dir, srv.URL+"/.git", "main", opts)
		if err == nil || strings.Contains(err.Error(), "wr0ng") || strings.Contains(err.Error(), "s3cret") {
			t.Fatalf("%+v: %v", opts, err)
		}
	}
}

// TestPersonalIgnores: the captain's edits leave out files that the captain's personal ignore file lists.
func TestPersonalIgnores(t *testing.T) {
	synctest.Put(t, os.Getenv("HOME"), "ignore-all", "*.swp\n")
	synctest.Git(t, os.Getenv("HOME"), "config", "--global", "core.excludesFile", "~/ignore-all")
	defer synctest.Git(t, os.Getenv("HOME"), "config", "--global", "--unset", "core.excludesFile")
	h, dir, s := trip(t, newSource(t), origin.Options{})
	synctest.Put(t, dir, "a.txt.swp", "swap")
	synctest.Put(t, dir, "b.txt", "edit")
	if _, err := h.Checkout(t.Context(), s, "ship-0", ""); err != nil {
		t.Fatal(err)
	}
	synctest.Has(t, s.dir, "b.txt", "edit")
	if _, err := os.Stat(filepath.Join(s.dir, "a.txt.swp")); err == nil {
		t.Fatal("an ignored file travelled")
	}
}
