// Package meaningtest is a stand-in for a service of embeddings, in which words with the same meaning have the same
// direction. It counts requests, and fails on demand as services do.
package meaningtest

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode"

	"ocaptain/fleet/search/meaning"
)

// Key is the key that it accepts.
const Key = "sk-meaning-0123456789"

// synonyms maps words to another word with the same meaning.
var synonyms = map[string]string{"erase": "delete", "erases": "delete", "wipe": "delete", "deletes": "delete"}

// Service is a stand-in on loopback.
type Service struct {
	URL string

	mu    sync.Mutex
	calls int
	texts []string
	fail  []http.HandlerFunc
}

// New starts a service, which runs until the test ends.
func New(t testing.TB) *Service {
	s := &Service{}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Fail makes other handlers answer the next requests, one each.
func (s *Service) Fail(by ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = append(s.fail, by...)
}

// Asked returns the number of requests, and the texts from which vectors were made.
func (s *Service) Asked() (calls int, texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls, append([]string(nil), s.texts...)
}

func (s *Service) next() http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if len(s.fail) == 0 {
		return nil
	}
	by := s.fail[0]
	s.fail = s.fail[1:]
	return by
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	if by := s.next(); by != nil {
		by(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		http.Error(w, `{"error":{"message":"Incorrect API key provided"}}`, http.StatusUnauthorized)
		return
	}
	var in struct {
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions"`
		Output     int      `json:"output_dimension"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/embeddings" || max(in.Dimensions, in.Output) != meaning.Size {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	var out struct {
		Data  []any          `json:"data"`
		Usage map[string]int `json:"usage"`
	}
	tokens := 0
	for i := range in.Input { // in reverse, since services do not promise an order
		i = len(in.Input) - 1 - i
		out.Data = append(out.Data, map[string]any{"index": i, "embedding": Vector(in.Input[i])})
		tokens += 1 + len(in.Input[i])/4
	}
	out.Usage = map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}
	s.mu.Lock()
	s.texts = append(s.texts, in.Input...)
	s.mu.Unlock()
	_ = json.NewEncoder(w).Encode(out)
}

// Vector returns the sum of the directions of a text's words.
func Vector(text string) []float32 {
	v := make([]float32, meaning.Size)
	v[0] = 0.01
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if is, ok := synonyms[word]; ok {
			word = is
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(word))
		random := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += float32(random.NormFloat64())
		}
	}
	return v
}
