package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"ocaptain/fleet/provider/hosts"
)

// hostList takes a list of hosts. What is wrong with one is told at its own line.
func (r *fileReader) hostList(set Setting, n ast.Node, where string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.bad.add("%s: %s must be a %s; write for example %s", where, set.Key, set.Kind, sampleValue(set))
		return
	}
	if len(list.Values) == 0 {
		r.bad.add("%s: %s names no host; name one, for example %s, or remove the line", where, set.Key, sampleValue(set))
		return
	}
	var all []string
	for _, item := range list.Values {
		text := item.GetToken().Value
		e, err := hosts.Parse(text)
		if _, isText := item.(*ast.StringNode); !isText {
			err = errors.New("must be a text; put it in quotes")
		}
		if err != nil {
			r.bad.add("%s: host %q %v", r.at(item), text, err)
			continue
		}
		if slices.ContainsFunc(all, func(o string) bool { had, _ := hosts.Parse(o); return had.String() == e.String() }) {
			r.bad.add("%s: host %q is there twice; remove one", r.at(item), text)
			continue
		}
		all = append(all, text)
	}
	if len(all) > 0 {
		r.values[set.Key] = found{strings.Join(all, "\n"), where}
	}
}
