package discoveries

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"ocaptain/tasks"
	"ocaptain/tasks/pattern"
)

// maxCited bounds how many files a discovery may be about.
const maxCited = 50

// parse parses a discovery: YAML between lines of dashes, and then its text.
func parse(raw []byte) (Discovery, error) {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(raw), "\uFFFD"), "\r\n", "\n")
	text, ok := strings.CutPrefix(text, "---\n")
	head, body, closed := strings.Cut(text, "\n---\n")
	if !ok || !closed {
		return Discovery{}, errors.New("it does not begin with YAML between two lines of ---")
	}
	is, err := readFront(head)
	if err != nil {
		return Discovery{}, err
	}
	d := Discovery{Type: is.Type, Task: is.Task, Author: is.Author, Text: strings.TrimSpace(body)}
	switch {
	case !slices.Contains(tasks.DiscoveryTypes, d.Type):
		return Discovery{}, fmt.Errorf("its type is %q; use one of %s", d.Type, strings.Join(tasks.DiscoveryTypes, ", "))
	case d.Text == "":
		return Discovery{}, errors.New("it has no text")
	case len(is.Files) > maxCited:
		return Discovery{}, fmt.Errorf("it is about %d files; name at most %d", len(is.Files), maxCited)
	}
	for _, f := range is.Files {
		if f = cited(f); f != "" && !slices.Contains(d.Files, f) {
			d.Files = append(d.Files, f)
		}
	}
	return d, nil
}

// front is the YAML before a discovery's text.
type front struct {
	Type, Task, Author string
	Files              []string
}

// readFront parses the YAML. The library panics on some invalid input.
func readFront(text string) (is front, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = errors.New("its YAML cannot be read")
		}
	}()
	for _, t := range lexer.Tokenize(text) {
		if t.Type == token.AnchorType || t.Type == token.AliasType { // anchors could make little input large
			return is, errors.New("its YAML has an anchor or an alias; write out what it stands for")
		}
	}
	if err := yaml.Unmarshal([]byte(text), &is); err != nil {
		return is, fmt.Errorf("its YAML cannot be read: %w", yamlError(err))
	}
	return is, nil
}

// yamlError returns an error without the lines of the file that the library quotes.
func yamlError(err error) error {
	var is yaml.Error
	if errors.As(err, &is) {
		return errors.New(is.GetMessage())
	}
	return err
}

// lineNumbers matches line numbers that reviewers add to the name of a file.
var lineNumbers = pattern.New(`:\d+(?:[-:]\d+)?$`)

// cited returns the path of a file that a discovery is about, "" if the path cannot be in a repository.
func cited(f string) string {
	f = path.Clean(lineNumbers().ReplaceAllString(strings.TrimSpace(f), ""))
	if f == "." || f == ".." || path.IsAbs(f) || strings.HasPrefix(f, "../") || strings.ContainsRune(f, 0) || len(f) > 1024 {
		return ""
	}
	return f
}
