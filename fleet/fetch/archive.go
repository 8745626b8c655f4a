// Package fetch brings programs of others to this machine: an archive by HTTP, checked against a digest that comes
// with ocaptain before anything of it is used, and unpacked into a directory that is named for that digest.
package fetch

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ocaptain/tasks/pattern"
)

// Archive is a tar file, compressed with gzip, in which everything is below one directory.
type Archive struct {
	Name    string `json:"name"` // as its publisher calls it
	Version string `json:"version"`
	Address string `json:"address,omitempty"` // "" for a package of npm's registry
	Sum     string `json:"sum"`               // digest as npm writes it: sha512- or sha256- and base64
}

func (a Archive) String() string { return a.Name + " " + a.Version }

// names are those of npm's packages and versions: they become part of paths and addresses.
var (
	names    = pattern.New(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
	versions = pattern.New(`^[0-9][0-9A-Za-z.+-]*$`)
	tags     = pattern.New(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)
)

// digest returns an empty hash and what it must become.
func (a Archive) digest() (hash.Hash, []byte, error) {
	if !names().MatchString(a.Name) || !versions().MatchString(a.Version) {
		return nil, nil, fmt.Errorf("%.100q in version %.100q cannot be a package", a.Name, a.Version)
	}
	kind, text, _ := strings.Cut(a.Sum, "-")
	sum := map[string]func() hash.Hash{"sha256": sha256.New, "sha512": sha512.New}[kind]
	want, err := base64.StdEncoding.Strict().DecodeString(text)
	if sum == nil || err != nil || len(want) != sum().Size() {
		return nil, nil, fmt.Errorf("%s: its sum %.200q is neither sha512-BASE64 nor sha256-BASE64", a, a.Sum)
	}
	return sum(), want, nil
}

// dirName is the name of the directory of what is unpacked. Another digest is another directory, so what is
// there need not be checked again.
func (a Archive) dirName() (string, error) {
	_, want, err := a.digest()
	if err != nil {
		return "", err
	}
	return path.Base(a.Name) + "-" + a.Version + "-" + hex.EncodeToString(want)[:32], nil
}

// Unpacked returns the directory below root where the archive is unpacked, and whether it is.
func (a Archive) Unpacked(root string) (string, bool) {
	name, err := a.dirName()
	if err != nil {
		return "", false
	}
	dir := filepath.Join(root, name)
	info, err := os.Lstat(dir)
	return dir, err == nil && info.IsDir()
}
