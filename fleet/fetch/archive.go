// Package fetch downloads programs of others. It checks the archive of a program against a digest that comes with
// ocaptain before it uses any of it, and unpacks it into a directory named after that digest.
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

// Archive is a gzipped tar file in which everything is below one directory.
type Archive struct {
	Name    string `json:"name"` // the name that its publisher uses
	Version string `json:"version"`
	Address string `json:"address,omitempty"` // its URL, "" for a package in npm's registry
	Sum     string `json:"sum"`               // its digest in npm's notation: sha512- or sha256- and base64
}

func (a Archive) String() string { return a.Name + " " + a.Version }

// names match npm's names of packages and versions, which become part of paths and URLs.
var (
	names    = pattern.New(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
	versions = pattern.New(`^[0-9][0-9A-Za-z.+-]*$`)
	tags     = pattern.New(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)
)

// digest returns an empty hash, and the sum that it must have at the end.
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

// dirName returns the name of the directory into which the archive is unpacked. It contains the digest, so an
// existing directory need not be checked again.
func (a Archive) dirName() (string, error) {
	_, want, err := a.digest()
	if err != nil {
		return "", err
	}
	return path.Base(a.Name) + "-" + a.Version + "-" + hex.EncodeToString(want)[:32], nil
}

// Unpacked returns the directory below root for the unpacked archive, and whether it exists.
func (a Archive) Unpacked(root string) (string, bool) {
	name, err := a.dirName()
	if err != nil {
		return "", false
	}
	dir := filepath.Join(root, name)
	info, err := os.Lstat(dir)
	return dir, err == nil && info.IsDir()
}
