package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Kinds of errors in helm's answers, for errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrRefused  = errors.New("refused")
)

// answerError is an error in helm's answer, with its kind.
type answerError struct {
	text string
	kind error
}

func (e *answerError) Error() string { return e.text }
func (e *answerError) Unwrap() error { return e.kind }

// NotFound returns an error that says what does not exist.
func NotFound(format string, args ...any) error {
	return &answerError{fmt.Sprintf(format, args...), ErrNotFound}
}

// Refused returns an error that says why helm refuses a request.
func Refused(format string, args ...any) error {
	return &answerError{fmt.Sprintf(format, args...), ErrRefused}
}

// failure is the body of an answer whose status is not 200.
type failure struct {
	Error string `json:"error"`
	Kind  string `json:"kind,omitempty"` // not found, refused, version
}

// WriteError answers a request with an error.
func WriteError(w http.ResponseWriter, err error) {
	f, code := failure{Error: err.Error()}, http.StatusInternalServerError
	switch {
	case errors.Is(err, ErrNotFound):
		f.Kind, code = "not found", http.StatusNotFound
	case errors.Is(err, ErrRefused):
		f.Kind, code = "refused", http.StatusConflict
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(f)
}

// readError returns the error in an answer whose status is not 200.
func readError(resp *http.Response) error {
	var f failure
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&f); err != nil || f.Error == "" {
		return fmt.Errorf("helm answered %s", resp.Status)
	}
	switch f.Kind {
	case "not found":
		return &answerError{f.Error, ErrNotFound}
	case "refused":
		return &answerError{f.Error, ErrRefused}
	}
	return errors.New(f.Error)
}
