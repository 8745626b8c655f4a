package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// poolsKey is the section of config.yaml with pools, by name.
const poolsKey = "pools"

// poolKeys are the keys of a pool.
var poolKeys = []string{"repo", "base", "max", "provider", "agent", "model"}

// Pool is the captain's configuration of a pool. Empty fields have the default.
type Pool struct {
	Repo     string // owner/repo, a URL or a path
	Base     string // where dispatches begin
	Max      int    // limit of the number of workers
	Provider string
	Agent    string
	Model    string
}

// checkKey is the key, beside the pools, that says how often helm checks workers.
const checkKey = "check"

// PoolCheck is the default of how often helm checks workers, and of how long a worker may make no commit.
const PoolCheck = 30 * time.Minute

// MostWorkers is the default limit of the workers of a pool.
const MostWorkers = 4

// FindPool returns the configuration of the pool with that name.
func (c Config) FindPool(name string) (Pool, bool) {
	p, ok := c.pools[name]
	return p, ok
}

// poolsSection reads the configuration of pools.
func (r *fileReader) poolsSection(n ast.Node) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.bad.add("%s: %s must hold the names of pools, each with lines like: repo: owner/kite", r.position(n), poolsKey)
		return
	}
	r.entries(poolsKey+".", m, func(name, where string, value ast.Node) {
		if _, isMap := value.(ast.MapNode); name == checkKey && !isMap {
			r.setPoolCheck(value, where)
			return
		}
		r.pools[name] = r.poolEntry(poolsKey+"."+name, where, value)
	})
}

// setPoolCheck reads how often helm checks workers.
func (r *fileReader) setPoolCheck(n ast.Node, where string) {
	text := n.GetToken().Value
	d, err := time.ParseDuration(text)
	if text == "0" {
		d, err = 0, nil
	}
	if err != nil || d < 0 || d > 0 && d < time.Minute {
		r.bad.add("%s: %s.%s is %s; it must be a duration of a minute or more like 30m, or 0 for never", where, poolsKey, checkKey, text)
	}
	r.check = d
}

// poolEntry reads the configuration of one pool.
func (r *fileReader) poolEntry(full, where string, n ast.Node) Pool {
	var p Pool
	m, ok := n.(ast.MapNode)
	if !ok {
		r.bad.add("%s: %s must hold lines like: repo: owner/kite", where, full)
		return p
	}
	var seen []string
	r.entries(full+".", m, func(key, at string, value ast.Node) {
		if !slices.Contains(poolKeys, key) {
			r.bad.add("%s: a pool has no %s; there are: %s", at, key, strings.Join(poolKeys, ", "))
			return
		}
		seen = append(seen, key)
		if wrong := p.set(key, value); wrong != "" {
			r.bad.add("%s: %s.%s %s", at, full, key, wrong)
		}
	})
	if p.Repo == "" && !slices.Contains(seen, "repo") {
		r.bad.add("%s: %s has no repo; write for example repo: owner/kite", where, full)
	}
	return p
}

// set sets one value; it returns what is wrong with it.
func (p *Pool) set(key string, n ast.Node) (wrong string) {
	if key == "max" {
		count, err := strconv.Atoi(n.GetToken().Value)
		if _, ok := n.(*ast.IntegerNode); !ok || err != nil || count < 1 || count > MostShips {
			return "must be a whole number from 1 to " + strconv.Itoa(MostShips)
		}
		p.Max = count
		return ""
	}
	text, wrong := textValue(n)
	if wrong == "" && strings.TrimSpace(text) == "" {
		wrong = "is empty; write a value or remove the line"
	}
	*map[string]*string{"repo": &p.Repo, "base": &p.Base, "provider": &p.Provider, "agent": &p.Agent, "model": &p.Model}[key] = text
	return wrong
}
