package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"ocaptain/fleet/agent"
)

// longestFile is the limit of a configuration file's size, in bytes.
const longestFile = 1 << 20

// readFile reads config.yaml. A missing file sets nothing.
func readFile(path string, bad *Error) *fileReader {
	r := &fileReader{path: path, bad: bad, known: Settings(), values: map[string]found{}, agents: map[string]agent.Custom{}, versions: map[string]string{}, pools: map[string]Pool{}, check: PoolCheck}
	r.sections = map[string]func(ast.Node){agentsKey: r.agentsSection, poolsKey: r.poolsSection}
	if err := r.read(longestFile, false); err != nil && !errors.Is(err, fs.ErrNotExist) {
		bad.add("%v", err)
	}
	return r
}

// fileReader walks through a YAML file.
type fileReader struct {
	path     string
	bad      *Error
	known    settings                  // the settings that the file may hold
	sections map[string]func(ast.Node) // readers of the other sections
	values   map[string]found
	agents   map[string]agent.Custom
	versions map[string]string
	tools    agent.Tools // the tools of Claude Code
	// conversation is what one conversation of Claude Code covers, "" when the file does not say.
	conversation agent.Conversation
	pools        map[string]Pool
	check        time.Duration
}

// read reads the entries of the file, which may have that many bytes. Its error says that the file cannot be read.
func (r *fileReader) read(most int64, inside bool) error {
	raw, err := readSmall(r.path, most, inside)
	if err != nil {
		return err
	}
	tree, err := parser.ParseBytes(raw, 0, parser.AllowDuplicateMapKey()) // entries reports duplicates
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			r.bad.add("%s:%d: is not YAML: %s", r.path, syntax.GetToken().Position.Line, syntax.GetMessage())
		} else {
			r.bad.add("%s: is not YAML", r.path)
		}
		return nil
	}
	for i, doc := range tree.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.CommentGroupNode:
		default:
			if i > 0 {
				r.bad.add("%s: has more than one document; remove the lines with ---", r.position(body))
				return nil
			}
			r.mapping("", body)
		}
	}
	return nil
}

// readSmall reads a regular file of at most that many bytes. With inside, it follows no link out of the file's directory.
func readSmall(path string, most int64, inside bool) ([]byte, error) {
	f, err := open(path, inside)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a file", path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if int64(len(raw)) > most {
		return nil, fmt.Errorf("%s: is larger than %d bytes", path, most)
	}
	return raw, err
}

// open opens a file without blocking on a pipe.
func open(path string, inside bool) (*os.File, error) {
	const how = os.O_RDONLY | syscall.O_NONBLOCK
	if !inside {
		return os.OpenFile(path, how, 0)
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Base(path), how, 0)
	if info, e := root.Lstat(filepath.Base(path)); err != nil && e == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s: is a link that leads out of its directory, or nowhere; put the file itself there", path)
	}
	return f, err
}

func (r *fileReader) position(n ast.Node) string {
	return fmt.Sprintf("%s:%d", r.path, n.GetToken().Position.Line)
}

// entries calls take for each entry of a mapping whose keys begin with prefix, and reports duplicate entries.
func (r *fileReader) entries(prefix string, m ast.MapNode, take func(key, where string, value ast.Node)) {
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		key, where := it.Key().GetToken().Value, r.position(it.Key())
		if seen[key] {
			r.bad.add("%s: %s is there twice; remove one", where, prefix+key)
			continue
		}
		seen[key] = true
		take(key, where, it.Value())
	}
}

// mapping reads the entries of a mapping whose keys begin with prefix.
func (r *fileReader) mapping(prefix string, n ast.Node) {
	m, ok := n.(ast.MapNode)
	if !ok {
		what := "the file"
		if prefix != "" {
			what = strings.TrimSuffix(prefix, ".")
		}
		is := "a single value" // the value may be secret, and is not shown
		if _, isNull := n.(*ast.NullNode); isNull {
			is = "empty"
		} else if _, isList := n.(*ast.SequenceNode); isList {
			is = "a list"
		}
		r.bad.add("%s: %s must hold lines like: %s; it is %s", r.position(n), what, r.known.sample(prefix), is)
		return
	}
	r.entries(prefix, m, func(key, where string, value ast.Node) {
		key = prefix + key
		set, known := r.known.find(key)
		if _, isMap := value.(ast.MapNode); !known && !isMap {
			set, known = r.known.find(key + ".send") // the form "telemetry: off"
		}
		switch {
		case known:
			r.scalar(set, value, where)
		case r.sections[key] != nil:
			r.sections[key](value)
		case r.known.hasSection(key):
			r.mapping(key+".", value)
		default:
			r.bad.add("%s: no setting is called %s; %s", where, short(key), r.known.suggest(key))
		}
	})
}

// scalar reads one value, which must be of the setting's kind.
func (r *fileReader) scalar(set Setting, n ast.Node, where string) {
	switch set.Kind {
	case Host, Path, Pattern, Port:
		r.list(set, n, where)
		return
	case Command:
		r.command(set, n, where)
		return
	}
	if _, isNull := n.(*ast.NullNode); isNull {
		r.bad.add("%s: %s has no value; write one or remove the line", where, set.Key)
		return
	}
	if !set.Kind.takes(n) {
		r.bad.add("%s: %s is %s, but must be a %s; write for example %s", where, set.Key, shown(n), set.Kind, sampleValue(set))
		return
	}
	text, notText := textValue(n)
	if notText != "" {
		text = n.GetToken().Value
	}
	r.values[set.Key] = found{text, where}
}

// takes reports whether a YAML value may be of the kind, by its type alone.
func (k Kind) takes(n ast.Node) bool {
	_, isText := n.(*ast.StringNode)
	_, isBlock := n.(*ast.LiteralNode)
	_, isCount := n.(*ast.IntegerNode)
	_, isFraction := n.(*ast.FloatNode)
	_, isTruth := n.(*ast.BoolNode)
	switch k {
	case Count, Few, Files, Number:
		return isCount
	case Price:
		return isCount || isFraction
	case Sum:
		return isText || isCount || isFraction
	case Duration:
		return isText || isCount && n.GetToken().Value == "0"
	case Shell:
		return isText || isBlock
	case Switch:
		return isText || isTruth
	case Consent:
		return isText || isTruth || isCount
	case Look:
		return isText || isBlock || isCount || isFraction || isTruth
	}
	return isText
}

// maxShown is how many characters of a value messages show.
const maxShown = 60

// short returns the part of a text that messages show.
func short(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}

// shown describes a value for a message.
func shown(n ast.Node) string {
	text := n.GetToken().Value
	switch n.(type) {
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or alias, which are not followed"
	case *ast.TagNode:
		return "a value with a tag"
	case *ast.LiteralNode:
		return "a block of text"
	}
	text = short(text)
	if t := n.GetToken().Type; t == token.DoubleQuoteType || t == token.SingleQuoteType {
		return strconv.Quote(text)
	}
	return text
}
