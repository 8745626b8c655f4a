package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"ocaptain/fleet/search"
)

// row is a result in the form of ChunkHound's version 4.
type row struct {
	ID         string      `json:"chunk_id"`
	Name       *string     `json:"name,omitempty"`
	Symbol     *string     `json:"symbol,omitempty"`
	Content    string      `json:"content"`
	Kind       search.Kind `json:"chunk_type"`
	Start      int         `json:"start_line"`
	End        int         `json:"end_line"`
	File       string      `json:"file_path"`
	Language   string      `json:"language"`
	Similarity *float64    `json:"similarity,omitempty"`
}

type pagination struct {
	Offset int  `json:"offset"`
	Size   int  `json:"page_size"`
	More   bool `json:"has_more"`
	Total  int  `json:"total"`
	Next   *int `json:"next_offset"`
}

type answer struct {
	Results    []row      `json:"results"`
	Pagination pagination `json:"pagination"`
}

// bytesPerToken is ChunkHound's estimate.
const bytesPerToken = 3

// maxBytes bounds an answer, according to the arguments of its call.
func (p page) maxBytes() int { return cmp.Or(p.MaxTokens, 20000) * bytesPerToken }

// rows writes as many results as JSON as fit in the answer; next_offset is the index of the next one. complete adds the tool's
// own fields to a result; when it returns false, that result and the rest are left out.
func rows(p page, found search.Results, complete func(search.Result, *row) bool) (string, error) {
	most := p.maxBytes()
	a := answer{Results: []row{}, Pagination: pagination{Offset: p.Offset, Size: p.size(), Total: found.Total}}
	used, left := 0, false
	for _, r := range found.Results {
		out := row{
			ID: fmt.Sprintf("%s:%d", r.File, r.Start), Content: r.Text, Kind: r.Kind, Start: r.Start, End: r.End, File: r.File,
			Language: language(r.File),
		}
		if left = !complete(r, &out); left {
			break
		}
		text, err := asJSON(out)
		if err != nil {
			return "", err
		}
		if used += len(text); used > most && len(a.Results) > 0 {
			break
		}
		if used > most { // this result alone is too long
			out.Content = strings.ToValidUTF8(out.Content[:min(most/2, len(out.Content))], "")
		}
		a.Results = append(a.Results, out)
	}
	if next := p.Offset + len(a.Results); !left && next < found.Total {
		a.Pagination.More, a.Pagination.Next = true, &next
	}
	return asJSON(a)
}

// markdown writes results in the form of ChunkHound's version 5.
func markdown(p page, found search.Results, scored bool) string {
	if len(found.Results) == 0 {
		return "No results found."
	}
	most := p.maxBytes()
	var all []string
	used := 0
	for _, r := range found.Results {
		head := fmt.Sprintf("## `%s` L%d–L%d", r.File, r.Start, r.End)
		if r.Kind == search.Discovery {
			head += " — discovery"
		}
		if r.Name != "" {
			head += " — " + r.Name
		}
		if scored {
			head += fmt.Sprintf(" (%.0f%%)", 100*r.Score)
		}
		text := head + "\n" + search.Fenced(r.Text, most/2)
		if used += len(text); used > most && len(all) > 0 {
			break
		}
		all = append(all, text)
	}
	size, next := p.size(), p.Offset+len(all)
	foot := fmt.Sprintf("Page %d of %d (results %d–%d of %d)", p.Offset/size+1, (found.Total+size-1)/size, p.Offset+1, next, found.Total)
	if next < found.Total {
		foot += fmt.Sprintf(" | next_offset=%d", next)
	}
	return strings.Join(all, "\n---\n") + "\n" + foot
}

type stats struct {
	Files      int     `json:"total_files"`
	Chunks     int     `json:"total_chunks"`
	Embeddings int     `json:"total_embeddings"`
	Megabytes  float64 `json:"database_size_mb"`
	Providers  int     `json:"total_providers"`
	LeftOut    int     `json:"files_left_out"`
}

func statsOf(s search.Stats) stats {
	is := stats{Files: s.Files, Chunks: s.Chunks, Embeddings: s.Vectors, Megabytes: float64(s.Bytes>>10) / 1024, LeftOut: s.LeftOut}
	if s.Meant {
		is.Providers = 1
	}
	return is
}

type health struct {
	Status    string   `json:"status"`
	Version   string   `json:"version"`
	Connected bool     `json:"database_connected"`
	Providers []string `json:"embedding_providers"`
	Why       string   `json:"why,omitempty"`
}

func asJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // agents read the answer, not browsers
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// languages are the names of languages by file extension.
var languages = map[string]string{
	".go": "go", ".py": "python", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".ts": "typescript", ".tsx": "typescript",
	".java": "java", ".kt": "kotlin", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp",
	".rb": "ruby", ".php": "php", ".swift": "swift", ".scala": "scala", ".sh": "bash", ".bash": "bash", ".sql": "sql", ".lua": "lua",
	".md": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".html": "html", ".css": "css", ".proto": "protobuf",
}

// language returns the name of a file's language.
func language(file string) string {
	if l := languages[strings.ToLower(path.Ext(file))]; l != "" {
		return l
	}
	return "text"
}
