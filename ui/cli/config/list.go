package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"ocaptain/fleet/provider/hosts"
	"ocaptain/fleet/provider/local/sandbox"
)

// list reads a list of texts, or of numbers for ports. It reports a wrong item at the item's own line.
func (r *fileReader) list(set Setting, n ast.Node, where string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.bad.add("%s: %s must be a list; write for example %s", where, set.Key, sampleValue(set))
		return
	}
	if len(list.Values) == 0 {
		r.bad.add("%s: %s names no %s; name one, for example %s, or remove the line", where, set.Key, set.Kind, sampleValue(set))
		return
	}
	var values, things []string
	for _, item := range list.Values {
		text := item.GetToken().Value
		value, thing, err := set.parseItem(text)
		_, isText := item.(*ast.StringNode)
		switch {
		case set.Kind != Port && !isText:
			err = errors.New("must be a text; put it in quotes")
		case set.Kind == Port && isText:
			err = errPort
		}
		if err != nil {
			r.bad.add("%s: %s %q %v", r.position(item), set.Kind, text, err)
			continue
		}
		if slices.Contains(things, thing) {
			r.bad.add("%s: %s %q is there twice; remove one", r.position(item), set.Kind, text)
			continue
		}
		values, things = append(values, value), append(things, thing)
	}
	if len(values) > 0 {
		r.values[set.Key] = found{strings.Join(values, "\n"), where}
	}
}

// command reads a program and its arguments. A program that begins with ~/ is in the captain's home.
func (r *fileReader) command(set Setting, n ast.Node, where string) {
	argv, wrong := textList(n, sampleValue(set))
	if wrong == "" && (argv[0] == "" || strings.Contains(strings.Join(argv, ""), "\x00")) {
		wrong = "must begin with a program, and cannot hold zero bytes; write for example " + sampleValue(set)
	}
	if wrong != "" {
		r.bad.add("%s: %s %s", where, set.Key, wrong)
		return
	}
	if rest, ok := strings.CutPrefix(argv[0], "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			r.bad.add("%s: %s: %v; write the whole path", where, set.Key, err)
			return
		}
		argv[0] = filepath.Join(home, rest)
	}
	r.values[set.Key] = found{strings.Join(argv, "\x00"), where}
}

var errPort = errors.New("must be the number of a TCP port, from 1 to 65535")

// parseItem parses an item of a list. It returns the value, and the thing that the item names, which the list may
// name only once.
func (s Setting) parseItem(text string) (value, thing string, err error) {
	switch s.Kind {
	case Port:
		if n, e := strconv.Atoi(text); e != nil || n < 1 || n > 65535 {
			err = errPort
		}
		return text, text, err
	case Pattern:
		if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\n\x00") {
			err = errors.New("must be a pattern as in .gitignore, in one line")
		}
		return text, text, err
	case Path:
		home, err := os.UserHomeDir()
		if err != nil {
			return "", "", err
		}
		value, err = sandbox.ParseBind(text, home)
		return value, value, err
	}
	e, err := hosts.Parse(text)
	return text, e.String(), err
}
