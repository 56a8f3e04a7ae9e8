package napcat

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// UploadOptions are the settings of [Upload]. The zero value is ready to use.
type UploadOptions struct {
	ChunkSize int           // bytes of the file per call; 0 or less: 256 KiB
	Retention time.Duration // NapCat deletes the file after this time; 0: 5 min; negative: never
}

// UploadResult is a file on NapCat's machine.
type UploadResult struct {
	Path   string // for the file of a segment or of upload_group_file
	Size   int64
	SHA256 string // in hexadecimal
}

// Upload copies a file to NapCat's machine in chunks, by the stream action upload_file_stream. It needs neither a
// shared disk nor one large frame. It reads the file twice: first for the digest that NapCat verifies. name is the
// file name on NapCat's machine, without directories. Another upload with the same name replaces the file. NapCat
// keeps up to 10 MiB in memory and rejects empty files.
//
// After an error Upload tells NapCat to delete the chunks.
func Upload(ctx context.Context, b *onebot.Bot, name string, file io.ReadSeeker, o UploadOptions) (UploadResult, error) {
	u := upload{
		bot: b, id: rand.Text(), name: name,
		chunk: cmp.Or(max(o.ChunkSize, 0), 256<<10), keep: max(cmp.Or(o.Retention, 5*time.Minute), 0),
	}
	up, err := u.run(ctx, file)
	if err != nil {
		return UploadResult{}, fmt.Errorf("napcat: upload %s: %w", name, err)
	}
	return up, nil
}

// upload is an upload in progress.
type upload struct {
	bot      *onebot.Bot
	id, name string
	chunk    int
	keep     time.Duration

	size   int64
	digest string
}

// uploadParams are the parameters of upload_file_stream.
type uploadParams struct {
	StreamID    string `json:"stream_id"`
	ChunkData   []byte `json:"chunk_data,omitempty"`
	ChunkIndex  int    `json:"chunk_index"`
	TotalChunks int    `json:"total_chunks,omitempty"`
	FileSize    int64  `json:"file_size,omitempty"`
	SHA256      string `json:"expected_sha256,omitempty"`
	Filename    string `json:"filename,omitempty"`
	Keep        int64  `json:"file_retention"` // ms; the default would be 5 min
	Complete    bool   `json:"is_complete,omitempty"`
	Reset       bool   `json:"reset,omitempty"`
}

func (u *upload) run(ctx context.Context, file io.ReadSeeker) (UploadResult, error) {
	if u.name == "" || u.name == "." || u.name == ".." || strings.ContainsAny(u.name, `/\`) {
		return UploadResult{}, errors.New("invalid file name")
	}
	if err := u.measure(file); err != nil {
		return UploadResult{}, err
	}
	up, err := u.send(ctx, file)
	if err != nil {
		u.abort(ctx)
		return UploadResult{}, err
	}
	return up, nil
}

// measure reads the file for its size and digest and seeks back.
func (u *upload) measure(file io.ReadSeeker) error {
	from, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if u.size, err = io.Copy(sum, file); err != nil {
		return err
	}
	if u.size == 0 {
		return errors.New("file is empty")
	}
	u.digest = hex.EncodeToString(sum.Sum(nil))
	_, err = file.Seek(from, io.SeekStart)
	return err
}

// send sends the chunks and then completes the file.
func (u *upload) send(ctx context.Context, file io.Reader) (UploadResult, error) {
	p := uploadParams{
		StreamID: u.id, TotalChunks: int((u.size + int64(u.chunk) - 1) / int64(u.chunk)),
		FileSize: u.size, SHA256: u.digest, Filename: u.name, Keep: u.keep.Milliseconds(),
	}
	buf := make([]byte, u.chunk)
	for p.ChunkIndex = range p.TotalChunks {
		n, err := io.ReadFull(file, buf)
		if err == io.EOF || err == io.ErrUnexpectedEOF && p.ChunkIndex < p.TotalChunks-1 {
			return UploadResult{}, errors.New("file became shorter during the upload")
		}
		if err != nil && err != io.ErrUnexpectedEOF {
			return UploadResult{}, err
		}
		p.ChunkData = buf[:n]
		if err := u.bot.Call(ctx, "upload_file_stream", p, nil); err != nil {
			return UploadResult{}, err
		}
	}
	p.ChunkData, p.ChunkIndex, p.Complete = nil, 0, true
	var done UploadPart
	if err := u.bot.Call(ctx, "upload_file_stream", p, &done); err != nil {
		return UploadResult{}, err
	}
	if done.Status != "file_complete" || done.Path == "" || done.Size != u.size {
		return UploadResult{}, fmt.Errorf("upload not complete: status %q, %d of %d bytes", done.Status, done.Size, u.size)
	}
	return UploadResult{Path: done.Path, Size: u.size, SHA256: u.digest}, nil
}

// abort makes NapCat delete the chunks, even if ctx is done. NapCat always responds with a refusal.
func (u *upload) abort(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = u.bot.Call(ctx, "upload_file_stream", uploadParams{StreamID: u.id, Reset: true}, nil)
}

// DownloadResult describes a downloaded file.
type DownloadResult struct {
	Name string // "" if NapCat does not send it
	Size int64
}

// Download copies a file from NapCat's machine to w, by the stream action download_file_stream. file is the id or
// name of a received file. w receives the chunks as they arrive; after an error it has a part of the file. If w is
// much slower than the link, Download fails: see [onebot.Bot.Stream].
func Download(ctx context.Context, b *onebot.Bot, file string, w io.Writer) (DownloadResult, error) {
	return download(ctx, b, "download_file_stream", downloadParams{File: file}, w)
}

// DownloadImage is [Download] for a received picture.
func DownloadImage(ctx context.Context, b *onebot.Bot, file string, w io.Writer) (DownloadResult, error) {
	return download(ctx, b, "download_file_image_stream", downloadParams{File: file}, w)
}

// DownloadRecord is [Download] for a received voice message. NapCat converts it to format, such as "mp3" or "wav"; ""
// means no conversion.
func DownloadRecord(ctx context.Context, b *onebot.Bot, file, format string, w io.Writer) (DownloadResult, error) {
	return download(ctx, b, "download_file_record_stream", downloadParams{File: file, Format: format}, w)
}

type downloadParams struct {
	File   string `json:"file"`
	Format string `json:"out_format,omitempty"`
}

func download(ctx context.Context, b *onebot.Bot, action string, params downloadParams, w io.Writer) (DownloadResult, error) {
	d, err := fileWriter(ctx, b, action, params, w)
	if err != nil {
		return d, fmt.Errorf("napcat: download %s: %w", params.File, err)
	}
	return d, nil
}

// fileWriter writes the chunks of a file as they arrive. Size is the number of bytes written, also after an error.
func fileWriter(ctx context.Context, b *onebot.Bot, action string, params downloadParams, w io.Writer) (d DownloadResult, err error) {
	next, complete := int64(0), false
	for p, err := range (Bot{b}).stream(ctx, action, params) {
		if err != nil {
			return d, err
		}
		switch p.DataType {
		case "file_info":
			d.Name = p.Name
		case "file_chunk":
			if p.Index != next {
				return d, fmt.Errorf("received chunk %d, want chunk %d", p.Index, next)
			}
			next++
			n, err := w.Write(p.Data)
			d.Size += int64(n)
			if err != nil {
				return d, err
			}
		case "file_complete":
			if complete = true; p.TotalBytes != d.Size {
				return d, fmt.Errorf("received %d of %d bytes", d.Size, p.TotalBytes)
			}
		}
	}
	if !complete {
		return d, errors.New("download ended before the file was complete")
	}
	return d, nil
}
