package git

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Volatile is the setting with which git does not wait for the disk (fsync).
var Volatile = [2]string{"core.fsync", "none"}

// WriteObject stores a loose object as git would, and returns its id. The object id like says which format to use,
// sha1 or sha256.
func (r Repo) WriteObject(kind string, content []byte, like string) (string, error) {
	id := ObjectID(kind, content, len(like)/2)
	if err := storeLoose(r, id, objectHead(kind, int64(len(content))), content); err != nil {
		return "", fmt.Errorf("store a %s: %w", kind, err)
	}
	return id, nil
}

// ObjectID returns the id of an object, made with a hash of size bytes.
func ObjectID(kind string, content []byte, size int) string {
	sum := NewHash(size)
	sum.Write(objectHead(kind, int64(len(content))))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// NameSize returns the size in bytes of object ids in a repository of format "sha1" or "sha256".
func NameSize(format string) int {
	if format == "sha256" {
		return sha256.Size
	}
	return sha1.Size
}

// NewHash returns the hash for object ids of size bytes.
func NewHash(size int) hash.Hash {
	if size == sha256.Size {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's
}

// NewBlobHash returns a hash for the id of a blob with content bytes. Write the blob to the hash.
func NewBlobHash(content int64, size int) hash.Hash {
	sum := NewHash(size)
	sum.Write(objectHead("blob", content))
	return sum
}

func objectHead(kind string, content int64) []byte {
	return fmt.Appendf(nil, "%s %d\x00", kind, content)
}

func storeLoose(r Repo, id string, head, content []byte) error {
	name := r.Path("objects", id[:2], id[2:])
	now := time.Now()
	if os.Chtimes(name, now, now) == nil { // the object exists; its new date keeps gc from pruning it
		return nil
	}
	if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "tmp_obj_*") // gc removes old files of this name
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var packed bytes.Buffer
	compress(&packed, head, content)
	if _, err := f.Write(packed.Bytes()); err != nil {
		return err
	}
	if !slices.Contains(r.Config, Volatile) {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := errors.Join(f.Chmod(0o444), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// Commit is a commit to be stored.
type Commit struct {
	Tree    string
	Parents []string
	Message string
	Undated bool // with a fixed date, so that the same content makes the same commit
}

// WriteCommit stores a commit. Its author and committer come from r.Env; see IdentityEnv.
func (r Repo) WriteCommit(c Commit) (string, error) {
	now := time.Now()
	if c.Undated {
		now = time.Unix(0, 0).UTC()
	}
	when := fmt.Sprint(now.Unix(), now.Format(" -0700"))
	var b strings.Builder
	b.WriteString("tree " + c.Tree + "\n")
	for _, p := range c.Parents {
		b.WriteString("parent " + p + "\n")
	}
	fmt.Fprintf(&b, "author %s %s\ncommitter %s %s\n\n", identity(r.Env, "AUTHOR"), when, identity(r.Env, "COMMITTER"), when)
	b.WriteString(strings.TrimSuffix(c.Message, "\n") + "\n")
	return r.WriteObject("commit", []byte(b.String()), c.Tree)
}

// identity returns "Name <mail>" of the author or committer in env.
func identity(env []string, who string) string {
	name, mail := "", ""
	for _, kv := range env { // the last one counts
		if v, ok := strings.CutPrefix(kv, "GIT_"+who+"_NAME="); ok {
			name = v
		} else if v, ok := strings.CutPrefix(kv, "GIT_"+who+"_EMAIL="); ok {
			mail = v
		}
	}
	crud := func(r rune) bool { return r <= ' ' || strings.ContainsRune(".,:;<>\"\\'", r) } // git trims these characters, too
	drop := strings.NewReplacer("<", "", ">", "", "\n", "", "\x00", "")
	return drop.Replace(strings.TrimFunc(name, crud)) + " <" + drop.Replace(strings.TrimFunc(mail, crud)) + ">"
}

// InitAt makes a repository whose HEAD is detached at commit. The caller stores the commit later.
func (r Repo) InitAt(commit string) error {
	config := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
	if len(commit) == 2*sha256.Size {
		config = strings.Replace(config, "version = 0", "version = 1", 1) + "[extensions]\n\tobjectformat = sha256\n"
	}
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(r.Path(dir), 0o777); err != nil {
			return err
		}
	}
	return errors.Join(os.WriteFile(r.Path("config"), []byte(config), 0o666), os.WriteFile(r.Path("HEAD"), []byte(commit+"\n"), 0o666))
}
