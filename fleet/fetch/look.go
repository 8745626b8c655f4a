package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Look asks npm's registry for a version of a package; the version may be a tag such as "latest". The returned archive
// has the version and digest that "npm view PACKAGE@VERSION version dist.integrity" prints. The error wraps ErrAbsent if
// the registry has no such version.
func Look(ctx context.Context, name, version string) (Archive, error) {
	a := Archive{Name: name, Version: version}
	if !names().MatchString(name) || !tags().MatchString(version) {
		return a, fmt.Errorf("%.100q in version %.100q cannot be a package", name, version)
	}
	from, err := registry()
	if err != nil {
		return a, err
	}
	from = from.JoinPath(name, version)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var page bytes.Buffer
	if err := download(ctx, from, nil, func() (io.Writer, error) {
		page.Reset()
		return &bounded{&page, 4 << 20}, nil
	}); err != nil {
		return a, err
	}
	var told struct {
		Version string `json:"version"`
		Dist    struct {
			Integrity string `json:"integrity"`
		} `json:"dist"`
	}
	if err := json.Unmarshal(page.Bytes(), &told); err != nil {
		return a, fmt.Errorf("%s: its answer is no description of a package: %w", from.Redacted(), err)
	}
	if versions().MatchString(version) && told.Version != version {
		return a, fmt.Errorf("%s: it tells of version %.40q", from.Redacted(), told.Version)
	}
	a.Version, a.Sum = told.Version, told.Dist.Integrity
	if _, _, err := a.digest(); err != nil {
		return a, fmt.Errorf("%s: %w", from.Redacted(), err)
	}
	return a, nil
}

// bounded is a buffer that fails when it gets more than most bytes.
type bounded struct {
	to   *bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.to.Len()+len(p) > b.most {
		return 0, errors.New("the answer is too long")
	}
	return b.to.Write(p)
}
