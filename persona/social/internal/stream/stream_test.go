package stream

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// A writer is a model that writes its answer in chunks and calls pause after each.
type writer struct {
	chunks []string
	pause  func(i int)
}

func (w writer) GenerateContent(ctx context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	for i, chunk := range w.chunks {
		if err := o.StreamingFunc(ctx, []byte(chunk)); err != nil {
			return nil, err
		}
		if w.pause != nil {
			w.pause(i)
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: strings.Join(w.chunks, "")}}}, nil
}

func (w writer) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, w, prompt, options...)
}

func always() bool { return true }

// through lets a model write through an Outlet and returns the sent items.
func through(t *testing.T, most int, may func() bool, w writer) (said []string, taken int) {
	t.Helper()
	o := New(t.Context(), most, func(_ context.Context, item string) error {
		said = append(said, item)
		return nil
	})
	_, err := llms.GenerateFromSinglePrompt(t.Context(), o.Model(w, may), "早")
	require.NoError(t, err)
	taken, err = o.Close(false)
	require.NoError(t, err)
	return said, taken
}

func TestOutlet_SendsItemsWhileModelWrites(t *testing.T) {
	said := make(chan string, 2)
	o := New(t.Context(), 8, func(_ context.Context, item string) error {
		said <- item
		return nil
	})
	w := writer{chunks: []string{"<item>早", "！</item>", "<item>吃了吗</item>"}, pause: func(i int) {
		if i == 1 { // continue only after that item was sent
			assert.Equal(t, "早！", <-said)
		}
	}}
	_, err := llms.GenerateFromSinglePrompt(t.Context(), o.Model(w, always), "早")
	require.NoError(t, err)
	taken, err := o.Close(false)
	require.NoError(t, err)
	assert.Equal(t, 2, taken)
	assert.Equal(t, "吃了吗", <-said)
}

func TestOutlet_LeavesRestForCompleteAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		chunks []string
		most   int
		may    func() bool
		want   []string
		taken  int
	}{
		"all items":         {[]string{"<item>一</item><item>二</item>"}, 8, always, []string{"一", "二"}, 2},
		"too many":          {[]string{"<item>一</item><item>二</item>", "<item>三</item>"}, 2, always, []string{"一", "二"}, 2},
		"not allowed":       {[]string{"<item>一</item>", "<item>二</item>"}, 8, func() bool { return false }, nil, 0},
		"text outside":      {[]string{"<item>一</item>我想想<item>二</item>"}, 8, always, []string{"一"}, 1},
		"no items":          {[]string{"一。", "二。"}, 8, always, nil, 0},
		"silence":           {[]string{"<item>[skip]</item><item>二</item>"}, 8, always, []string{"二"}, 2},
		"a thought":         {[]string{"<thi", "nk><item>嗯</item></th", "ink><item>一</item>"}, 8, always, []string{"一"}, 1},
		"within characters": {[]string{"<item>\xe4\xb8", "\x80</item>"}, 8, always, []string{"一"}, 1},
	} {
		said, taken := through(t, c.most, c.may, writer{chunks: c.chunks})
		assert.Equal(t, c.want, said, name)
		assert.Equal(t, c.taken, taken, name)
	}
}

// Each answer of a conversation is counted separately: items before a tool call are not part of the last answer.
func TestOutlet_CountsItemsOfLatestAnswer(t *testing.T) {
	var said []string
	o := New(t.Context(), 8, func(_ context.Context, item string) error { said = append(said, item); return nil })
	for _, chunks := range [][]string{{"<item>一</item><item>二</item>"}, {"<item>三</item>"}} {
		_, err := llms.GenerateFromSinglePrompt(t.Context(), o.Model(writer{chunks: chunks}, always), "早")
		require.NoError(t, err)
	}
	taken, err := o.Close(false)
	require.NoError(t, err)
	assert.Equal(t, 1, taken)
	assert.Equal(t, []string{"一", "二", "三"}, said)
}

func TestOutlet_StopsAtError(t *testing.T) {
	refused := errors.New("refused")
	var tried []string
	o := New(t.Context(), 8, func(_ context.Context, item string) error { tried = append(tried, item); return refused })
	_, err := llms.GenerateFromSinglePrompt(t.Context(), o.Model(writer{chunks: []string{"<item>一</item><item>二</item>"}}, always), "早")
	require.NoError(t, err)
	_, err = o.Close(false)
	assert.ErrorIs(t, err, refused)
	assert.Equal(t, []string{"一"}, tried)
}

func TestOutlet_CloseDropsUnsent(t *testing.T) {
	var tried []string
	begun := make(chan struct{})
	o := New(t.Context(), 8, func(ctx context.Context, item string) error {
		tried = append(tried, item)
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	})
	_, err := llms.GenerateFromSinglePrompt(t.Context(), o.Model(writer{chunks: []string{"<item>一</item><item>二</item>"}}, always), "早")
	require.NoError(t, err)
	<-begun
	_, err = o.Close(true)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"一"}, tried)
}

func TestOutlet_Nil(t *testing.T) {
	var o *Outlet
	w := &writer{}
	assert.Same(t, w, o.Model(w, always))
	taken, err := o.Close(true)
	assert.NoError(t, err)
	assert.Zero(t, taken)
}
