package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpacked unpacks into a new directory, and checks that a file beside it does not change.
func unpacked(t testing.TB, raw []byte, l limits) (string, error) {
	t.Helper()
	parent := t.TempDir()
	dir := filepath.Join(parent, "root")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(parent, "mine"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	err = unpack(bytes.NewReader(raw), root, l)
	if there, _ := os.ReadDir(parent); len(there) != 2 {
		t.Errorf("beside the root are %v", there)
	}
	if mine, _ := os.ReadFile(filepath.Join(parent, "mine")); string(mine) != "mine" {
		t.Errorf("the file outside holds %q", mine)
	}
	walked := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && (!info.IsDir() && !info.Mode().IsRegular() || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || info.Mode().Perm()&0o022 != 0) {
			t.Errorf("%s is %s", name, info.Mode())
		}
		return err
	})
	if walked != nil {
		t.Error(walked)
	}
	return dir, err
}

func TestUnpackRefuses(t *testing.T) {
	small := limits{entries: 5, bytes: 1 << 20}
	for name, tt := range map[string]struct {
		want  string
		files []file
	}{
		"up":            {"lead elsewhere", []file{{name: "package/../../mine"}}},
		"up at once":    {"lead elsewhere", []file{{name: "../mine"}}},
		"up after all":  {"lead elsewhere", []file{{name: "package/a/../../../mine"}}},
		"absolute":      {"lead elsewhere", []file{{name: "/tmp/mine"}}},
		"dots":          {"lead elsewhere", []file{{name: "package/./tool"}}},
		"backslash":     {"lead elsewhere", []file{{name: `package\..\mine`}}},
		"long":          {"lead elsewhere", []file{{name: "package/" + strings.Repeat("a/", 600) + "b"}}},
		"link":          {"neither a file nor a directory", []file{{name: "package/l", kind: tar.TypeSymlink, link: "tool"}}},
		"link out":      {"neither a file nor a directory", []file{{name: "package/l", kind: tar.TypeSymlink, link: ".."}, {name: "package/l/mine", text: "theirs"}}},
		"hard link":     {"neither a file nor a directory", []file{{name: "package/l", kind: tar.TypeLink, link: "../mine"}}},
		"device":        {"neither a file nor a directory", []file{{name: "package/d", kind: tar.TypeBlock}}},
		"fifo":          {"neither a file nor a directory", []file{{name: "package/d", kind: tar.TypeFifo}}},
		"twice":         {"exists", []file{{name: "package/a"}, {name: "package/a"}}},
		"twice, apart":  {"exists", []file{{name: "package/a"}, {name: "other/a"}}},
		"file as a dir": {"exists", []file{{name: "package/a"}, {name: "package/a/b"}}},
		"no directory":  {"not below a directory", []file{{name: "tool"}}},
		"many":          {"more than 5 files", []file{{name: "p/1"}, {name: "p/2"}, {name: "p/3"}, {name: "p/4"}, {name: "p/5"}, {name: "p/6"}}},
		"large":         {"more than 1 MB", []file{{name: "p/1", text: strings.Repeat("x", 1<<20)}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := unpacked(t, packed(t, tt.files...), small); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestUnpackBombs checks that the limits stop archives with ten million files in a few kilobytes, or zeros without
// end.
func TestUnpackBombs(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		z := gzip.NewWriter(w)
		tw := tar.NewWriter(z)
		for range 10_000_000 {
			if tw.WriteHeader(&tar.Header{Name: "p/d", Typeflag: tar.TypeDir, Mode: 0o755}) != nil {
				return
			}
		}
		_ = w.Close()
	}()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := unpack(r, root, most); err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Errorf("got %v", err)
	}
	_ = r.Close()

	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	tw := tar.NewWriter(z)
	_ = tw.WriteHeader(&tar.Header{Name: "p/zeros", Typeflag: tar.TypeReg, Size: 1 << 40})
	zeros := make([]byte, 1<<20)
	for range 20 {
		_, _ = tw.Write(zeros)
	}
	_ = z.Close()
	if dir, err := unpacked(t, b.Bytes(), limits{entries: 9, bytes: 10 << 20}); err == nil || !strings.Contains(err.Error(), "more than 10 MB") {
		t.Errorf("got %v in %s", err, dir)
	}
}

// FuzzUnpack checks that no archive makes unpack write anything outside, or any link, device or file that others may
// write to.
func FuzzUnpack(f *testing.F) {
	f.Add("package/tool", byte(tar.TypeReg), "", "package/../x", byte(tar.TypeReg), []byte("text"))
	f.Add("package/l", byte(tar.TypeSymlink), "..", "package/l/mine", byte(tar.TypeReg), []byte("text"))
	f.Add("package/d/", byte(tar.TypeDir), "", "package/d", byte(tar.TypeReg), []byte{0, 1, 2})
	f.Fuzz(func(t *testing.T, first string, kind byte, link, second string, other byte, tail []byte) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		_ = w.WriteHeader(&tar.Header{Name: first, Typeflag: kind, Linkname: link, Mode: 0o7777})
		_ = w.WriteHeader(&tar.Header{Name: second, Typeflag: other, Mode: 0o7777, Size: int64(len(tail))})
		_, _ = w.Write(tail)
		_ = w.Flush()
		_, _ = z.Write(tail) // followed by bytes that are no tar
		_ = z.Close()
		_, _ = unpacked(t, b.Bytes(), limits{entries: 10, bytes: 1 << 20})
	})
}
