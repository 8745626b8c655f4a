package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet/webapi"
)

func TestMain(m *testing.M) {
	patience = webapi.Patience{Least: 2 * time.Millisecond, Most: 4 * time.Millisecond}
	os.Exit(m.Run())
}

// file is one entry of an archive.
type file struct {
	name, text string
	kind       byte
	link       string
}

// packed returns a gzipped tar file.
func packed(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range files {
		if f.kind == 0 {
			f.kind = tar.TypeReg
		}
		if err := w.WriteHeader(&tar.Header{Name: f.name, Typeflag: f.kind, Linkname: f.link, Mode: 0o6755, Size: int64(len(f.text))}); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, f.text)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sumOf(raw []byte) string {
	sum := sha512.Sum512(raw)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// served returns an archive with the digest of raw, from a server that answers with h.
func served(t *testing.T, raw []byte, h http.HandlerFunc) Archive {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return Archive{Name: "@acme/tool", Version: "1.2.3", Address: s.URL + "/tool.tgz", Sum: sumOf(raw)}
}

// nothingIn checks that a failed Get has left behind only its lock.
func nothingIn(t *testing.T, root string) {
	t.Helper()
	left, _ := os.ReadDir(root)
	for _, e := range left {
		if !strings.HasSuffix(e.Name(), ".lock") {
			t.Errorf("left %s", e.Name())
		}
	}
}

func TestGet(t *testing.T) {
	raw := packed(t, file{name: "package/bin/tool", text: "#!/bin/sh\n"}, file{name: "package/LICENSE", text: "free"})
	var asked atomic.Int32
	a := served(t, raw, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 { // an error that may pass is retried
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write(raw)
	})
	root := filepath.Join(t.TempDir(), "cache")
	scratch, _ := a.dirName()
	if err := os.MkdirAll(filepath.Join(root, part+scratch, "whole"), 0o755); err != nil { // left behind by a killed process
		t.Fatal(err)
	}
	p := Program{Archive: a, File: "bin/tool"}
	var all sync.WaitGroup
	for range 6 { // concurrent downloads of the same file share one
		all.Go(func() {
			name, err := p.Get(t.Context(), root, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if info, err := os.Stat(name); err != nil || info.Mode() != 0o755 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
	all.Wait()
	if n := asked.Load(); n != 3 {
		t.Errorf("asked %d times", n)
	}
	p.File = "bin/other"
	if _, err := p.Get(t.Context(), root, nil); err == nil || !strings.Contains(err.Error(), "@acme/tool 1.2.3 has no program bin/other") {
		t.Errorf("got %v", err)
	}
}

// A server may send anything: Get uses nothing that does not have the expected digest.
func TestGetLies(t *testing.T) {
	raw := packed(t, file{name: "package/tool", text: strings.Repeat("x", 1<<16)})
	poison := packed(t, file{name: "package/tool", text: "poison"})
	t.Cleanup(func() { silence = 30 * time.Second })
	for name, tt := range map[string]struct {
		h     http.HandlerFunc
		want  string
		tries int32
	}{
		"other bytes": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(poison) }, "@acme/tool 1.2.3 from http://127.0.0.1", 1},
		"both sums":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(poison) }, "must be " + sumOf(raw) + " and is " + sumOf(poison), 1},
		"truncated": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write(raw[:50])
		}, "unexpected EOF", mostTries},
		"truncated, and says that it is whole": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(raw[:50]) }, "nothing of it was used", 1},
		"silent": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(raw[:50])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "nothing came for 200ms", mostTries},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for block := make([]byte, 1<<20); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, "larger than 512 MB", 1},
		"a file": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, "unsupported protocol scheme", mostTries},
		"round and round": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "more than 5 redirects", mostTries * (redirects + 1)},
		"not there":       {http.NotFound, "404 Not Found", 1},
		"encoded": {func(w http.ResponseWriter, _ *http.Request) { // the encoded bytes count, not the decoded ones
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(raw)
			_ = z.Close()
		}, "nothing of it was used", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			a := served(t, raw, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); tt.h(w, r) })
			if silence = 30 * time.Second; name == "silent" { // long, since a busy machine may be silent too
				silence = 200 * time.Millisecond
			}
			root := t.TempDir()
			_, err := Get(t.Context(), a, root, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			if n := asked.Load(); n != tt.tries {
				t.Errorf("asked %d times", n)
			}
			nothingIn(t, root)
		})
	}
}

// Ctrl-c ends a download and leaves nothing behind.
func TestGetCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := served(t, nil, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begin")
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	root := t.TempDir()
	if _, err := Get(ctx, a, root, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	nothingIn(t, root)
}

// A download over https follows no redirect to http.
func TestNoDowngrade(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	s := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer s.Close()
	c := s.Client()
	c.CheckRedirect = client.CheckRedirect
	if _, err := c.Get(s.URL); err == nil || !strings.Contains(err.Error(), "redirected from https to http") {
		t.Errorf("got %v", err)
	}
}

func TestArchiveChecked(t *testing.T) {
	good := sumOf(nil)
	for _, a := range []Archive{
		{Name: "../x", Version: "1", Sum: good},
		{Name: "@a/../../x", Version: "1", Sum: good},
		{Name: "x", Version: "1/../..", Sum: good},
		{Name: "x", Version: "", Sum: good},
		{Name: "x", Version: "1"},
		{Name: "x", Version: "1", Sum: "sha512-"},
		{Name: "x", Version: "1", Sum: "sha1-" + good},
		{Name: "x", Version: "1", Sum: good[:40]},
	} {
		a.Address = "http://127.0.0.1:1/"
		if _, err := Get(t.Context(), a, t.TempDir(), nil); err == nil || strings.Contains(err.Error(), "connection") {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

func TestRegistry(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("npm_config_registry", "")
	t.Setenv("NPM_CONFIG_REGISTRY", "")
	a := Archive{Name: "@acme/tool", Version: "1.2.3"}
	check := func(want string) {
		t.Helper()
		if u, err := a.address(); err != nil || u.String() != want {
			t.Errorf("got %v, %v", u, err)
		}
	}
	check("https://registry.yarnpkg.com/@acme/tool/-/tool-1.2.3.tgz")
	npmrc := "; mine\n//m.test/:_authToken=secret\n@acme:registry=https://other.test\nregistry = \"https://m.test/npm/\"\n"
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte(npmrc), 0o600); err != nil {
		t.Fatal(err)
	}
	check("https://m.test/npm/@acme/tool/-/tool-1.2.3.tgz")
	t.Setenv("npm_config_registry", "http://127.0.0.1:4873")
	check("http://127.0.0.1:4873/@acme/tool/-/tool-1.2.3.tgz")
	t.Setenv("npm_config_registry", "file:///s3cret")
	if _, err := a.address(); err == nil || !strings.Contains(err.Error(), "npm_config_registry must be an address") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
	// No error contains the credentials in a URL.
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	a.Sum = sumOf(nil)
	t.Setenv("npm_config_registry", strings.Replace(s.URL, "//", "//ada:s3cret@", 1))
	if _, err := Get(t.Context(), a, t.TempDir(), nil); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}
