package tailnettest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
)

// Shelf serves an archive with the real programs of Tailscale, as Tailscale does. Ships that run them need Env.
type Shelf struct {
	URL     string       // with the archive's digest after a "#"
	Fetched atomic.Int32 // how often the archive was downloaded
}

// command is a script tailscale for a tailscaled that contains both programs.
const command = "#!/bin/sh\nTS_BE_CLI=1 exec \"${0%/*}/tailscaled\" \"$@\"\n"

// NewShelf starts a server that runs until the test ends.
func NewShelf(t testing.TB) *Shelf {
	t.Helper()
	daemon, err := os.ReadFile(Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
	w := tar.NewWriter(z)
	whole := "tailscale_" + Version + "_" + runtime.GOARCH
	for name, raw := range map[string][]byte{"tailscale": []byte(command), "tailscaled": daemon} {
		_ = w.WriteHeader(&tar.Header{Name: whole + "/" + name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(raw))})
		_, _ = w.Write(raw)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	s := &Shelf{}
	mux := http.NewServeMux()
	mux.HandleFunc("/"+whole+".tgz", func(w http.ResponseWriter, _ *http.Request) {
		s.Fetched.Add(1)
		_, _ = w.Write(b.Bytes())
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL + "#sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	return s
}
