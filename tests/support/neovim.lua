-- Neovim with `bpp lsp`, for scenarios that drive it as a user does: by its own commands. A scenario gets the table
-- that is made here; what it returns is written as JSON. By the protocol and functions of Neovim 0.7 and later.
local SECONDS = 60

local editor = { shown = {} }

vim.notify = function(message)
  table.insert(editor.shown, message)
end

function editor.wait(what, holds)
  local function ends()
    return editor.has_ended or holds()
  end
  if not vim.wait(SECONDS * 1000, ends, 20) or editor.has_ended then
    error('waited in vain for ' .. what .. '; shown: ' .. vim.inspect(editor.shown))
  end
end

local function start()
  editor.client = vim.lsp.start_client({
    name = 'bpp',
    cmd = vim.fn.json_decode(vim.env.BPP_SERVER),
    root_dir = vim.fn.getcwd(),
    on_exit = function()
      editor.has_ended = true
    end,
  })
  editor.wait('the server', function()
    local client = vim.lsp.get_client_by_id(editor.client)
    return client and client.server_capabilities ~= nil and client.initialized
  end)
end

-- Edits a file in the window; the first one starts the server.
function editor.open(name)
  if not editor.client then
    start()
  end
  vim.cmd('edit ' .. vim.fn.fnameescape(name))
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, editor.client)
  return buffer
end

-- The cursor goes to the first place of a text in the current buffer.
function editor.go(text)
  vim.fn.cursor(1, 1)
  if vim.fn.search('\\V' .. vim.fn.escape(text, '\\'), 'cW') == 0 then
    error('no ' .. text .. ' in the buffer')
  end
end

function editor.codes(buffer)
  return vim.tbl_map(function(one)
    return one.code
  end, vim.diagnostic.get(buffer))
end

function editor.text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
end

-- Opens the menu of code actions at the cursor and takes the first whose title matches.
function editor.act(pattern)
  local titles, chosen
  vim.ui.select = function(items, options, choose)
    titles = vim.tbl_map(options.format_item or tostring, items)
    for index, title in ipairs(titles) do
      if not chosen and title:match(pattern) then
        chosen = title
        choose(items[index], index)
      end
    end
  end
  local before = #editor.shown
  vim.lsp.buf.code_action()
  editor.wait('code actions', function()
    return titles or #editor.shown > before
  end)
  return chosen or error('no action ' .. pattern .. ' in ' .. vim.inspect(titles or editor.shown))
end

local ok, result = xpcall(function()
  return dofile(vim.env.BPP_SCENARIO)(editor)
end, debug.traceback)
vim.fn.writefile({ vim.fn.json_encode(ok and { result = result } or { failed = result }) }, vim.env.BPP_RESULT)
vim.lsp.stop_client(vim.lsp.get_active_clients(), true)
vim.cmd('qall!')
