# bpp_render: blueprints rendered as part of a CMake build.
#
#   bpp_render(
#     TARGET <name>             a target that is part of `all`
#     SRC <blueprint>           below the current source folder
#     [OUT <file>]              below the current binary folder; default: the name of SRC
#     [VARS <name=value>...]    variables
#     [VARS_FILES <file>...]    files of variables, later ones first
#     [STATE <file>]            what is known of the deployment
#     [DATASOURCES <file>]      records that answer data sources
#     [LOCK <file>]             what is fetched must be as recorded there
#     [FORMAT yaml|json]        default: that of OUT
#     [STRICT] [OFFLINE]        the options of `bpp render`
#     [OPTIONS <option>...]     any more of them
#     [DEPENDS <file|target>...])
#
# The output is made anew when any file that the blueprint reads has changed: children, files of
# `file()`, plugins. It keeps its time stamp when its content stays the same, where the generator
# can make use of that (Ninja). The property OUTPUT of the target is the path of the output.
# BPP_EXECUTABLE is the program; it is looked for when it is not set.

cmake_minimum_required(VERSION 3.21)

find_program(BPP_EXECUTABLE bpp DOC "The Blueprint PreProcessor")

function(bpp_render)
  set(flags STRICT OFFLINE)
  set(single TARGET SRC OUT STATE DATASOURCES LOCK FORMAT)
  set(lists VARS VARS_FILES OPTIONS DEPENDS)
  cmake_parse_arguments(PARSE_ARGV 0 arg "${flags}" "${single}" "${lists}")

  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bpp_render: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "bpp_render: nothing stands behind: ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(keyword TARGET SRC)
    if(NOT DEFINED arg_${keyword})
      message(FATAL_ERROR "bpp_render: ${keyword} is missing")
    endif()
  endforeach()
  if(NOT BPP_EXECUTABLE)
    message(FATAL_ERROR "bpp_render: there is no program bpp; set BPP_EXECUTABLE to its path")
  endif()

  if(NOT DEFINED arg_OUT)
    get_filename_component(arg_OUT "${arg_SRC}" NAME)
  endif()
  cmake_path(ABSOLUTE_PATH arg_SRC BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  cmake_path(ABSOLUTE_PATH arg_OUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  if(arg_SRC STREQUAL arg_OUT)
    message(FATAL_ERROR "bpp_render: OUT would replace SRC (${arg_SRC})")
  endif()
  get_filename_component(folder "${arg_OUT}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")

  set(inputs "${arg_SRC}")
  set(options --depfile "${arg_OUT}.d" --allow-path "${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(variable IN LISTS arg_VARS)
    # a list is taken apart where it is used, unless its semicolons are protected
    string(REPLACE ";" "\\;" variable "${variable}")
    list(APPEND options --var "${variable}")
  endforeach()
  foreach(file IN LISTS arg_VARS_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND options --vars "${file}")
    list(APPEND inputs "${file}")
  endforeach()
  foreach(keyword STATE DATASOURCES LOCK)
    if(DEFINED arg_${keyword})
      set(file "${arg_${keyword}}")
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
      string(TOLOWER "--${keyword}" option)
      list(APPEND options "${option}" "${file}")
      list(APPEND inputs "${file}")
    endif()
  endforeach()
  if(DEFINED arg_FORMAT)
    list(APPEND options --format "${arg_FORMAT}")
  endif()
  foreach(flag IN LISTS flags)
    if(arg_${flag})
      string(TOLOWER "--${flag}" option)
      list(APPEND options "${option}")
    endif()
  endforeach()
  list(APPEND options ${arg_OPTIONS})

  # make has no notion of an output that was looked at and found to be right already
  set(settle)
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    set(settle COMMAND "${CMAKE_COMMAND}" -E touch "${arg_OUT}")
  endif()

  add_custom_command(
    OUTPUT "${arg_OUT}"
    COMMAND "${BPP_EXECUTABLE}" render "${arg_SRC}" -o "${arg_OUT}" ${options}
    ${settle}
    DEPENDS ${inputs} ${arg_DEPENDS}
    DEPFILE "${arg_OUT}.d"
    COMMENT "Rendering ${arg_OUT}"
    VERBATIM)
  add_custom_target("${arg_TARGET}" ALL DEPENDS "${arg_OUT}")
  set_target_properties("${arg_TARGET}" PROPERTIES OUTPUT "${arg_OUT}")
endfunction()
