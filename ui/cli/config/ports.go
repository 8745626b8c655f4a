package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// portList takes a list of TCP ports. What is wrong with one is told at its own line.
func (r *fileReader) portList(set Setting, n ast.Node, where string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		r.bad.add("%s: %s must be a %s; write for example %s, or remove the line", where, set.Key, set.Kind, sampleValue(set))
		return
	}
	var all []string
	for _, item := range list.Values {
		text := item.GetToken().Value
		if _, isNumber := item.(*ast.IntegerNode); !isNumber || !isPort(text) {
			r.bad.add("%s: %s has %s; %v", r.at(item), set.Key, text, errPort)
			continue
		}
		all = append(all, text)
	}
	if len(all) > 0 {
		r.values[set.Key] = found{strings.Join(all, ","), where}
	}
}

var errPort = fmt.Errorf("must be TCP ports from 1 to 65535, like 5432")

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 65535
}

// ports reads what portList has put together.
func ports(text string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		if !isPort(word) {
			return nil, errPort
		}
		n, _ := strconv.Atoi(word)
		all = append(all, n)
	}
	return all, nil
}
