package tailnettest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
)

// Shelf serves Tailscale's programs in an archive, with its digest beside it, as Tailscale does. They are the
// real ones, and stay on this machine.
type Shelf struct {
	URL     string
	Digest  string       // that is served, of the archive unless a test spoils it
	Fetched atomic.Int32 // how often the archive was
}

// NewShelf serves until the end of the test.
func NewShelf(t testing.TB) *Shelf {
	t.Helper()
	dir := t.TempDir()
	Wrap(t, dir)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	whole := "tailscale_" + Version + "_" + runtime.GOARCH
	for _, name := range []string{"tailscale", "tailscaled"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		_ = w.WriteHeader(&tar.Header{Name: whole + "/" + name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(raw))})
		_, _ = w.Write(raw)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	s := &Shelf{Digest: hex.EncodeToString(sum[:])}
	mux := http.NewServeMux()
	mux.HandleFunc("/"+whole+".tgz", func(w http.ResponseWriter, _ *http.Request) {
		s.Fetched.Add(1)
		_, _ = w.Write(b.Bytes())
	})
	mux.HandleFunc("/"+whole+".tgz.sha256", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s.Digest) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}
