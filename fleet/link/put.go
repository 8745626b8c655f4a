package link

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
)

// putScript writes its input to a temporary file beside the target, and renames that once all input has arrived.
// Arguments: target, directory, mode, size.
const putScript = `set -e
umask 077
mkdir -p -- "$2"
if [ -d "$1" ]; then echo "$1 is a directory" >&2; exit 1; fi
tmp=$(mktemp -- "$2/.put.XXXXXXXX")
trap 'rm -f -- "$tmp"' EXIT
trap 'exit 1' HUP INT TERM PIPE
cat >"$tmp"
if [ "$(wc -c <"$tmp")" -ne "$4" ]; then echo "got only a part of $1" >&2; exit 1; fi
chmod "$3" "$tmp"
mv -f -- "$tmp" "$1"
`

// PutFile writes a file on the ship atomically: a reader sees the old content or all of the new, even if the
// connection breaks. The content is sent only by the command's input, so it may be secret. A relative name starts at
// the home directory. Missing directories are made, for the owner only.
func (ln *Lane) PutFile(ctx context.Context, name string, mode fs.FileMode, content io.Reader, size int64) error {
	name = path.Clean(name)
	_, err := ln.Run(ctx, Command{
		Argv: []string{
			"/bin/sh", "-c", putScript, "put",
			pathArg(name), pathArg(path.Dir(name)), strconv.FormatUint(uint64(mode.Perm()), 8), strconv.FormatInt(size, 10),
		},
		Stdin: io.LimitReader(content, size),
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// pathArg returns name in a form that is no option, even if it starts with a dash.
func pathArg(name string) string {
	if !path.IsAbs(name) {
		return "./" + name
	}
	return name
}
