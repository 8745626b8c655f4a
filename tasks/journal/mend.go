package journal

import (
	"fmt"
	"os"
	"time"
)

// maxKept bounds what is kept of records that may not be on the disk: whoever notes more than that without
// waiting for the disk does not need to know.
const maxKept = 4 << 20

// mendPause is the time between attempts to go on after the disk refused.
const mendPause = time.Second

// kept are the records that this process wrote since the disk last had all. Once a disk has
// refused, what the file shows may be in memory only, or not even there: the system forgets what it
// could not write, and says so once.
type kept struct {
	pieces []piece
	size   int
	lost   bool // there were more than are kept
}

type piece struct {
	at   int64 // in the file
	line []byte
}

func (k *kept) add(at int64, line []byte) {
	if k.lost {
		return
	}
	if k.size += len(line); k.size > maxKept {
		*k = kept{lost: true}
		return
	}
	k.pieces = append(k.pieces, piece{at, line})
}

// forgetBefore forgets what is on the disk.
func (k *kept) forgetBefore(end int64) {
	n := 0
	for n < len(k.pieces) && k.pieces[n].at < end {
		k.size -= len(k.pieces[n].line)
		n++
	}
	k.pieces = k.pieces[n:]
}

// advice says what else to do than to mend the disk, or to make room there.
func (k *kept) advice() string {
	if k.lost {
		return "; check the disk and start again"
	}
	return "" // it goes on by itself
}

// mended returns nil when the disk has not refused anything, or now has all that it refused. The
// caller holds j.mu, which is let go meanwhile.
func (j *Journal) mended() error {
	for j.failed != nil && j.syncing {
		j.synced.Wait()
	}
	if j.failed == nil || j.kept.lost || time.Since(j.tried) < mendPause {
		return j.failed
	}
	j.syncing = true
	end, old, pieces, flush := j.end, j.file, j.kept.pieces, j.flush
	j.mu.Unlock()
	file, err := j.rewrite(old, pieces, end, flush)
	j.mu.Lock()
	if err == nil {
		j.file = file
		j.leave()
		old.Close()
	}
	j.settle(end, err)
	return j.failed
}

// rewrite cuts the journal off where the disk last had all, writes our records there again, waits for the disk, and
// returns the journal opened anew. Writing over what is there would not do: a file system may hold blocks
// that it could not write for empty ones ever after, and not say so. Records of another process between
// ours would be lost if the machine died meanwhile, so that nothing is done then.
func (j *Journal) rewrite(old *os.File, pieces []piece, end int64, flush func(*os.File) error) (*os.File, error) {
	was, err := old.Stat()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(j.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if err := rewriteIn(file, was, pieces, end); err != nil {
		file.Close()
		return nil, err
	}
	if err := flush(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func rewriteIn(file *os.File, was os.FileInfo, pieces []piece, end int64) error {
	if err := lockFile(file); err != nil {
		return err
	}
	defer unlock(file)
	is, err := file.Stat()
	if err != nil {
		return err
	}
	at := end
	if len(pieces) > 0 {
		at = pieces[0].at
	}
	switch {
	case !os.SameFile(was, is):
		return fmt.Errorf("%s is another file now", file.Name())
	case is.Size() < at:
		return fmt.Errorf("%s: %w", file.Name(), ErrShort)
	}
	next := at
	for _, p := range pieces {
		if p.at != next {
			break
		}
		next += int64(len(p.line))
	}
	if next != end || is.Size() > end {
		return fmt.Errorf("%s has records of another process: start again", file.Name())
	}
	if err := file.Truncate(at); err != nil {
		return err
	}
	for _, p := range pieces {
		if _, err := file.Write(p.line); err != nil {
			return err
		}
	}
	return nil
}

// FlushBy has the journal use another way to bring its file to the disk, for tests with disks that refuse;
// nil is for the usual one.
func (j *Journal) FlushBy(flush func(*os.File) error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.flush = flush; flush == nil {
		j.flush = (*os.File).Sync
	}
}
