package modeltest

import "github.com/gloveboxhq/glovebox/model"

type object map[string]any

// openAI is the format of chat completions.
type openAI struct{}

func (openAI) name() string { return model.ProviderOpenAI }

func (openAI) system(r request) string {
	text := ""
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			text += string(m.Content)
		}
	}
	return text
}

func (openAI) finish(f model.Finish) string {
	switch f {
	case model.FinishLength:
		return "length"
	case model.FinishRefused:
		return "content_filter"
	}
	return "stop"
}

func (openAI) usage(u *model.Usage) object {
	return object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Total()}
}

func (f openAI) reply(a Answer) any {
	choices := []object{{
		"index": 0, "finish_reason": f.finish(a.Finish), "logprobs": nil,
		"message": object{"role": "assistant", "content": a.Text, "refusal": nil},
	}}
	if a.Fault == Empty {
		choices = []object{}
	}
	o := object{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted-1", "choices": choices}
	if a.Usage != nil {
		o["usage"] = f.usage(a.Usage)
	}
	return o
}

func (openAI) fault(a Answer) any {
	e := object{"message": a.Message, "type": "error", "param": nil, "code": nil}
	if a.Param != "" {
		e["param"] = a.Param
	}
	if a.Code != "" {
		e["code"] = a.Code
	}
	return object{"error": e}
}

func (openAI) chunk(choices ...object) object {
	if choices == nil {
		choices = []object{}
	}
	return object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted-1", "choices": choices}
}

func (f openAI) delta(delta object, finish any) object {
	return f.chunk(object{"index": 0, "delta": delta, "finish_reason": finish})
}

func (f openAI) open(Answer) []event {
	return []event{{data: f.delta(object{"role": "assistant", "content": ""}, nil)}}
}

func (f openAI) piece(text string) event {
	return event{data: f.delta(object{"content": text}, nil)}
}

func (f openAI) close(a Answer) []event {
	var events []event
	if a.Fault != Empty {
		events = append(events, event{data: f.delta(object{}, f.finish(a.Finish))})
	}
	if a.Usage != nil {
		c := f.chunk()
		c["usage"] = f.usage(a.Usage)
		events = append(events, event{data: c})
	}
	return append(events, event{data: "[DONE]"})
}

func (openAI) overloaded() event {
	return event{data: object{"error": object{"message": "The server is overloaded", "type": "server_error", "param": nil, "code": nil}}}
}

// anthropic is the format of messages.
type anthropic struct{}

func (anthropic) name() string { return model.ProviderAnthropic }

func (anthropic) system(r request) string { return string(r.System) }

func (anthropic) finish(f model.Finish) string {
	switch f {
	case model.FinishLength:
		return "max_tokens"
	case model.FinishRefused:
		return "refusal"
	}
	return "end_turn"
}

func (f anthropic) message(a Answer, stop any, content ...object) object {
	if content == nil {
		content = []object{}
	}
	o := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1",
		"content": content, "stop_reason": stop, "stop_sequence": nil,
	}
	if a.Usage != nil {
		o["usage"] = object{"input_tokens": a.Usage.Input, "output_tokens": a.Usage.Output}
	}
	return o
}

func (f anthropic) reply(a Answer) any {
	if a.Fault == Empty {
		return f.message(a, nil)
	}
	return f.message(a, f.finish(a.Finish), object{"type": "text", "text": a.Text})
}

func (anthropic) fault(a Answer) any {
	kind := a.Code
	if kind == "" {
		kind = map[int]string{401: "authentication_error", 403: "permission_error", 429: "rate_limit_error", 529: "overloaded_error"}[a.Status]
	}
	if kind == "" {
		kind = "invalid_request_error"
		if a.Status >= 500 {
			kind = "api_error"
		}
	}
	return object{"type": "error", "error": object{"type": kind, "message": a.Message}}
}

func (f anthropic) open(a Answer) []event {
	start := f.message(a, nil)
	if a.Usage != nil {
		start["usage"] = object{"input_tokens": a.Usage.Input, "output_tokens": 1}
	}
	return []event{
		{"message_start", object{"type": "message_start", "message": start}},
		{"content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}},
		{"ping", object{"type": "ping"}},
	}
}

func (anthropic) piece(text string) event {
	return event{"content_block_delta", object{
		"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text},
	}}
}

func (f anthropic) close(a Answer) []event {
	if a.Fault == Empty {
		return []event{{"message_stop", object{"type": "message_stop"}}}
	}
	end := object{"type": "message_delta", "delta": object{"stop_reason": f.finish(a.Finish), "stop_sequence": nil}}
	if a.Usage != nil {
		end["usage"] = object{"output_tokens": a.Usage.Output}
	}
	return []event{
		{"content_block_stop", object{"type": "content_block_stop", "index": 0}},
		{"message_delta", end},
		{"message_stop", object{"type": "message_stop"}},
	}
}

func (anthropic) overloaded() event {
	return event{"error", object{"type": "error", "error": object{"type": "overloaded_error", "message": "Overloaded"}}}
}
