// Package tools serves the search of a working tree to agents as MCP tools, with the names and answers of ChunkHound:
// search_semantic, search_regex, code_research, get_stats and health_check answer as its version 4 does, search as its
// version 5.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ocaptain/fleet/search"
)

// Asked is an answered query.
type Asked struct {
	Tool  string
	Query string
	Found int
	Files []string // the files in the answer
}

// NewAsked returns the Asked for a query and its answer.
func NewAsked(tool, query string, found search.Results) Asked {
	a := Asked{Tool: tool, Query: query, Found: found.Total}
	for _, r := range found.Results {
		a.Files = append(a.Files, r.File)
	}
	return a
}

// New returns a server with the tools of a tree. It calls tell with each answered query, even if nothing was found.
func New(t *search.Tree, version string, tell func(Asked)) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "ocaptain", Version: version}, nil)
	b := bench{t, version, tell}
	add(s, "search_semantic", "Find code by what it does: functions, types and sections of documents that fit a description, the best first. Use it before grep when you do not know the name.", b.semantic, paged, func(p map[string]*jsonschema.Schema) {
		p["threshold"].Minimum, p["threshold"].Maximum = ptr(0.0), ptr(1.0)
	})
	add(s, "search_regex", "Find code by a regular expression (RE2). Answers with whole functions, types and sections.", b.regex, paged, nil)
	add(s, "code_research", "A report on where the repository deals with a question: places by directory, and the best of them in full.", b.research, nil, nil)
	add(s, "search", "Find code by what it does (type semantic) or by a regular expression (type regex).", b.search, paged, func(p map[string]*jsonschema.Schema) {
		p["type"].Enum = []any{"semantic", "regex"}
	})
	add(s, "get_stats", "How many files and chunks the index has.", b.stats, nil, nil)
	add(s, "health_check", "Whether the index can be asked.", b.health, nil, nil)
	return s
}

type properties = map[string]*jsonschema.Schema

// add adds a tool. The schema of its arguments is derived from their type, and edited by the functions complete.
func add[In any](s *mcp.Server, name, text string, answer func(context.Context, In) (string, error), complete ...func(properties)) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err)) // only for types in this package
	}
	for _, fn := range complete {
		if fn != nil {
			fn(schema.Properties)
		}
	}
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: text, InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: ptr(false)}},
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			out, err := answer(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out}}}, nil, nil
		})
}

func ptr[T any](v T) *T { return &v }

// paged adds limits to the arguments that select a part of the results.
func paged(p properties) {
	bound := func(name string, least, most float64, usual string) {
		if s := p[name]; s != nil {
			s.Minimum, s.Default = ptr(least), json.RawMessage(usual)
			if most > 0 {
				s.Maximum = ptr(most)
			}
		}
	}
	bound("page_size", 1, 100, "10")
	bound("offset", 0, 0, "0")
	bound("max_response_tokens", 1000, 25000, "20000")
}

// page selects a part of the results.
type page struct {
	Path      string `json:"path,omitempty" jsonschema:"a file or directory of the repository to search in"`
	PageSize  int    `json:"page_size,omitempty" jsonschema:"results in an answer"`
	Offset    int    `json:"offset,omitempty" jsonschema:"results to pass over"`
	MaxTokens int    `json:"max_response_tokens,omitempty" jsonschema:"about how long the answer may be"`
}

type semanticArgs struct {
	Query string `json:"query" jsonschema:"what the code does, in words"`
	page
	Threshold float64 `json:"threshold,omitempty" jsonschema:"least similarity, 0 to 1"`
	Provider  string  `json:"provider,omitempty" jsonschema:"not used"`
	Model     string  `json:"model,omitempty" jsonschema:"not used"`
}

type regexArgs struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression of RE2"`
	page
}

type searchArgs struct {
	Type  string `json:"type" jsonschema:"how to search"`
	Query string `json:"query" jsonschema:"words, or a regular expression of RE2"`
	page
}

type researchArgs struct {
	Query string `json:"query" jsonschema:"a question about the repository"`
	Path  string `json:"path,omitempty" jsonschema:"a file or directory of the repository to search in"`
}

type nothing struct{}

// bench answers the calls of tools.
type bench struct {
	tree    *search.Tree
	version string
	tell    func(Asked)
}

// query returns the query for a text and this page.
func (p page) query(text string) search.Query {
	return search.Query{Text: text, Path: p.Path, Offset: p.Offset, Limit: p.size()}
}

func (p page) size() int {
	return cmp.Or(p.PageSize, 10)
}

func (b bench) semantic(ctx context.Context, in semanticArgs) (string, error) {
	found, err := b.tree.Semantic(ctx, in.query(in.Query))
	if err != nil {
		return "", err
	}
	b.tell(NewAsked("search_semantic", in.Query, found))
	return rows(in.page, found, func(r search.Result, out *row) bool {
		out.Symbol, out.Similarity = &r.Name, &r.Score
		return r.Score >= in.Threshold
	})
}

func (b bench) regex(ctx context.Context, in regexArgs) (string, error) {
	found, err := b.tree.Regexp(ctx, in.query(in.Pattern))
	if err != nil {
		return "", err
	}
	b.tell(NewAsked("search_regex", in.Pattern, found))
	return rows(in.page, found, func(r search.Result, out *row) bool {
		out.Name = &r.Name
		return true
	})
}

func (b bench) search(ctx context.Context, in searchArgs) (string, error) {
	ask := b.tree.Semantic
	if in.Type == "regex" {
		ask = b.tree.Regexp
	}
	found, err := ask(ctx, in.query(in.Query))
	if err != nil {
		return "", err
	}
	b.tell(NewAsked("search", in.Query, found))
	return markdown(in.page, found, in.Type == "semantic"), nil
}

func (b bench) research(ctx context.Context, in researchArgs) (string, error) {
	text, found, err := b.tree.Research(ctx, in.Query, in.Path)
	if err != nil {
		return "", err
	}
	b.tell(NewAsked("code_research", in.Query, found))
	return text, nil
}

func (b bench) stats(ctx context.Context, _ nothing) (string, error) {
	if err := b.tree.Refresh(ctx); err != nil {
		return "", err
	}
	return asJSON(statsOf(b.tree.Stats()))
}

func (b bench) health(ctx context.Context, _ nothing) (string, error) {
	is := health{Status: "healthy", Version: b.version, Connected: true, Providers: []string{}}
	if err := b.tree.Refresh(ctx); err != nil {
		is.Status, is.Connected, is.Why = "unhealthy", false, err.Error()
	}
	if s := b.tree.Stats(); s.Meant {
		is.Providers = []string{"ocaptain"}
		if s.Unmeant != nil {
			is.Status, is.Why = "degraded", s.Unmeant.Error()
		}
	}
	return asJSON(is)
}
