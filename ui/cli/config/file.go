package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/tailnet"
)

// longestFile bounds what is read of a configuration file, in bytes.
const longestFile = 1 << 20

// readFile reads config.yaml. A file that is not there says nothing.
func readFile(path string, bad *Error) fileReader {
	r := fileReader{path: path, bad: bad, values: map[string]found{}, agents: map[string]agent.Custom{}, pools: map[string]Pool{}, check: PoolCheck}
	raw, err := readSmall(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			bad.add("%v", err)
		}
		return r
	}
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			bad.add("%s:%d: is not YAML: %s", path, syntax.GetToken().Position.Line, syntax.GetMessage())
		} else {
			bad.add("%s: is not YAML", path)
		}
		return r
	}
	for i, doc := range tree.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.CommentGroupNode:
		default:
			if i > 0 {
				bad.add("%s: has more than one document; remove the lines with ---", r.position(body))
				return r
			}
			r.mapping("", body)
		}
	}
	return r
}

// readSmall reads a regular file of at most longestFile bytes.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a file", path)
	case info.Size() > longestFile:
		return nil, fmt.Errorf("%s: is larger than %d bytes", path, longestFile)
	}
	return os.ReadFile(path)
}

// fileReader walks through config.yaml.
type fileReader struct {
	path   string
	bad    *Error
	values map[string]found
	agents map[string]agent.Custom
	pools  map[string]Pool
	check  time.Duration
}

func (r *fileReader) position(n ast.Node) string {
	return fmt.Sprintf("%s:%d", r.path, n.GetToken().Position.Line)
}

// mapping takes the entries of a mapping whose keys begin with prefix.
func (r *fileReader) mapping(prefix string, n ast.Node) {
	m, ok := n.(ast.MapNode)
	if !ok {
		what := "the file"
		if prefix != "" {
			what = strings.TrimSuffix(prefix, ".")
		}
		r.bad.add("%s: %s must hold lines like: %s", r.position(n), what, sample(prefix))
		return
	}
	for it := m.MapRange(); it.Next(); {
		key := prefix + it.Key().GetToken().Value
		where := r.position(it.Key())
		set, known := setting(key)
		switch {
		case known:
			if _, twice := r.values[key]; twice {
				r.bad.add("%s: %s is there twice; remove one", where, key)
				continue
			}
			r.scalar(set, it.Value(), where)
		case key == agentsKey:
			r.agentsSection(it.Value())
		case key == poolsKey:
			r.poolsSection(it.Value())
		case section(key):
			r.mapping(key+".", it.Value())
		default:
			r.bad.add("%s: no setting is called %s; %s", where, key, suggest(key))
		}
	}
}

// scalar takes one value, which must be of the setting's kind.
func (r *fileReader) scalar(set Setting, n ast.Node, where string) {
	if set.Kind == Host || set.Kind == Path || set.Kind == Port {
		r.list(set, n, where)
		return
	}
	if set.Kind == Command {
		r.command(set, n, where)
		return
	}
	switch n.(type) {
	case *ast.NullNode:
		r.bad.add("%s: %s has no value; write one or remove the line", where, set.Key)
	case *ast.StringNode, *ast.LiteralNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		_, isText := n.(*ast.StringNode)
		_, isCount := n.(*ast.IntegerNode)
		_, isFraction := n.(*ast.FloatNode)
		text := n.GetToken().Value
		wrong := (set.Kind == Count || set.Kind == Number) && !isCount || (set.Kind == Text || set.Kind == Sinking || set.Kind == Steering || set.Kind == Tag || set.Kind == Size) && !isText || set.Kind == Price && !isCount && !isFraction || set.Kind == Duration && !isText && text != "0"
		if wrong {
			r.bad.add("%s: %s is %s, but must be a %s; write for example %s", where, set.Key, text, set.Kind, sampleValue(set))
			return
		}
		r.values[set.Key] = found{text, where}
	default:
		r.bad.add("%s: %s must be a %s; write for example %s", where, set.Key, set.Kind, sampleValue(set))
	}
}

// section reports whether settings lie below key.
func section(key string) bool {
	for _, s := range Settings() {
		if strings.HasPrefix(s.Key, key+".") {
			return true
		}
	}
	return false
}

// sample is a line that could stand below prefix.
func sample(prefix string) string {
	for _, s := range Settings() {
		if rest, ok := strings.CutPrefix(s.Key, prefix); ok {
			return rest + ": " + sampleValue(s)
		}
	}
	return ""
}

func sampleValue(s Setting) string {
	switch {
	case s.Kind == Count:
		return "3"
	case s.Kind == Duration:
		return "30m"
	case s.Kind == Host:
		return "[user@host]"
	case s.Kind == Path:
		return "[~/.nvm/versions]"
	case s.Kind == Port:
		return "[5432]"
	case s.Kind == Size:
		return "8GB"
	case s.Kind == Price:
		return "0.10"
	case s.Kind == Command:
		return "[my-notifier, --urgent]"
	case s.Kind == Tag:
		return tailnet.DefaultTag
	case s.Default != "":
		return s.Default
	}
	return "NAME"
}

// suggest names the setting that was probably meant, or all of them.
func suggest(key string) string {
	best, least := "", 3
	var all []string
	for _, s := range Settings() {
		if d := distance(key, s.Key); d < least {
			best, least = s.Key, d
		}
		all = append(all, s.Key)
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "there are: " + strings.Join(all, ", ")
}

// distance is the number of single-character edits between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
